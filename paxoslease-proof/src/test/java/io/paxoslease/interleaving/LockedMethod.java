package io.paxoslease.interleaving;

import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;

/** A synchronized method, with a controlled monitor in place of its own. */
final class LockedMethod extends MethodVisitor {

    private final String owner;
    private final boolean isStatic;
    private final Label start = new Label();
    private final Label handler = new Label();

    LockedMethod(MethodVisitor next, String owner, boolean isStatic) {
        super(Opcodes.ASM9, next);
        this.owner = owner;
        this.isStatic = isStatic;
    }

    @Override
    public void visitCode() {
        super.visitCode();
        onMonitor("monitorEnter");
        super.visitLabel(start);
    }

    @Override
    public void visitInsn(int code) {
        if (code >= Opcodes.IRETURN && code <= Opcodes.RETURN) {
            onMonitor("monitorExit");
        }
        super.visitInsn(code);
    }

    @Override
    public void visitMaxs(int stack, int locals) {
        super.visitLabel(handler);
        super.visitFrame(
                Opcodes.F_NEW, isStatic ? 0 : 1, isStatic ? new Object[0] : new Object[] {owner}, 1, new Object[] {
                    "java/lang/Throwable"
                });
        onMonitor("monitorExit");
        super.visitInsn(Opcodes.ATHROW);
        super.visitTryCatchBlock(start, handler, handler, null);
        super.visitMaxs(stack, locals);
    }

    private void onMonitor(String what) {
        if (isStatic) {
            super.visitLdcInsn(Type.getObjectType(owner));
        } else {
            super.visitVarInsn(Opcodes.ALOAD, 0);
        }
        super.visitMethodInsn(Opcodes.INVOKESTATIC, WovenMethod.CONTROL, what, "(Ljava/lang/Object;)V", false);
    }
}
