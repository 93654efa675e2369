package io.paxoslease.clusters.witness;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/**
 * Gives the library a wall clock that can be set: a container's is that of the machine, which is everybody's. Where the one
 * class that reads the clocks asks for the wall clock, it asks {@link SettableClock} instead. All else sees the machine's.
 */
public final class ClockAgent {

    private static final String READS_CLOCKS = "io/paxoslease/node/SystemClock";

    private ClockAgent() {}

    /**
     * Before the application's main method.
     *
     * @param file see {@link SettableClock#follow}
     */
    public static void premain(String file, Instrumentation instrumentation) {
        SettableClock.follow(Path.of(file));
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte @Nullable [] transform(
                    @Nullable ClassLoader loader,
                    @Nullable String name,
                    @Nullable Class<?> redefined,
                    @Nullable ProtectionDomain domain,
                    byte[] bytes) {
                return READS_CLOCKS.equals(name) ? withSettableClock(bytes) : null;
            }
        });
    }

    private static byte[] withSettableClock(byte[] bytes) {
        ClassWriter result = new ClassWriter(0);
        new ClassReader(bytes).accept(new Calls(result), 0);
        return result.toByteArray();
    }

    /** Copies a class, and calls the other clock. */
    private static final class Calls extends ClassVisitor {

        private static final int API = Opcodes.ASM9;
        private static final String OTHER = SettableClock.class.getName().replace('.', '/');

        private Calls(ClassVisitor result) {
            super(API, result);
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            return new MethodVisitor(API, super.visitMethod(access, name, descriptor, signature, exceptions)) {
                @Override
                public void visitMethodInsn(int opcode, String owner, String called, String type, boolean isInterface) {
                    boolean wallClock = owner.equals("java/lang/System") && called.equals("currentTimeMillis");
                    super.visitMethodInsn(opcode, wallClock ? OTHER : owner, called, type, isInterface);
                }
            };
        }
    }
}
