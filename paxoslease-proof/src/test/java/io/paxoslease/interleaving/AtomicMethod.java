package io.paxoslease.interleaving;

import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** The initializer of a class: the JVM holds a lock meanwhile. */
final class AtomicMethod extends MethodVisitor {

    AtomicMethod(MethodVisitor next) {
        super(Opcodes.ASM9, next);
    }

    @Override
    public void visitCode() {
        super.visitCode();
        control("enterAtomic");
    }

    @Override
    public void visitInsn(int code) {
        if (code == Opcodes.RETURN) {
            control("exitAtomic");
        }
        super.visitInsn(code);
    }

    private void control(String what) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, WovenMethod.CONTROL, what, "()V", false);
    }
}
