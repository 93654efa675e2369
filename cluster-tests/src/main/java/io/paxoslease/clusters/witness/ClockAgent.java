package io.paxoslease.clusters.witness;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.ClassWriter;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;

/**
 * Gives the library a wall clock that can be set: a container's is that of the machine, which is everybody's. Where the one
 * class that reads the clocks asks for the wall clock, it asks {@link SettableClock} instead. All else sees the machine's.
 *
 * <p>It can also make the library speak another highest version of the wire format, as another release does. Where the class that
 * knows the versions of its release is initialised, it gets that version for its highest one. The library has no switch for it.
 */
public final class ClockAgent {

    private static final String READS_CLOCKS = "io/paxoslease/node/SystemClock";
    private static final String KNOWS_VERSIONS = "io/paxoslease/transport/Versions";

    private ClockAgent() {}

    /**
     * Before the application's main method.
     *
     * @param arguments a file, see {@link SettableClock#follow}; after a comma, if at all, the highest version of the wire format
     */
    public static void premain(String arguments, Instrumentation instrumentation) {
        String[] words = arguments.split(",", 2);
        int highest = words.length == 1 ? 0 : Integer.parseInt(words[1]);
        SettableClock.follow(Path.of(words[0]));
        instrumentation.addTransformer(new ClassFileTransformer() {
            @Override
            public byte @Nullable [] transform(
                    @Nullable ClassLoader loader,
                    @Nullable String name,
                    @Nullable Class<?> redefined,
                    @Nullable ProtectionDomain domain,
                    byte[] bytes) {
                if (KNOWS_VERSIONS.equals(name) && highest > 0) {
                    return changed(bytes, result -> new HighestVersion(result, highest));
                }
                return READS_CLOCKS.equals(name) ? changed(bytes, Calls::new) : null;
            }
        });
    }

    private static byte[] changed(byte[] bytes, Function<ClassVisitor, ClassVisitor> change) {
        ClassWriter result = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        new ClassReader(bytes).accept(change.apply(result), 0);
        return result.toByteArray();
    }

    private static final int API = Opcodes.ASM9;

    /** Copies the class, and makes its one constant, the pair of lowest and highest version, with another highest one. */
    private static final class HighestVersion extends ClassVisitor {

        private final int highest;

        private HighestVersion(ClassVisitor result, int highest) {
            super(API, result);
            this.highest = highest;
        }

        @Override
        public MethodVisitor visitMethod(
                int access,
                String name,
                String descriptor,
                @Nullable String signature,
                String @Nullable [] exceptions) {
            MethodVisitor copy = super.visitMethod(access, name, descriptor, signature, exceptions);
            return !name.equals("<clinit>")
                    ? copy
                    : new MethodVisitor(API, copy) {
                        @Override
                        public void visitMethodInsn(
                                int opcode, String owner, String called, String type, boolean isInterface) {
                            if (owner.equals(KNOWS_VERSIONS) && called.equals("<init>")) {
                                super.visitInsn(Opcodes.POP);
                                super.visitIntInsn(Opcodes.BIPUSH, highest);
                            }
                            super.visitMethodInsn(opcode, owner, called, type, isInterface);
                        }
                    };
        }
    }

    /** Copies a class, and calls the other clock. */
    private static final class Calls extends ClassVisitor {

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
