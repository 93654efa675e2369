package io.paxoslease.interleaving;

import java.util.Map;
import java.util.function.BiPredicate;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/**
 * Changes a class so that {@link Control} has its threads under control: monitors, waits, parking, interrupts, threads, futures,
 * time and the queued synchronizer become controlled ones. In the classes under test there is also a point before each access to a
 * field that is not final, and before each call of a concurrent class of the JDK.
 */
public final class Weaver {

    static final String SYNCHRONIZER = "java/util/concurrent/locks/AbstractQueuedSynchronizer";
    static final String CONTROLLED_SYNCHRONIZER = "io/paxoslease/interleaving/ControlledSynchronizer";

    private final BiPredicate<String, String> mayChange;

    /** @param mayChange whether a field, by the internal name of its class and its own, is not final */
    public Weaver(BiPredicate<String, String> mayChange) {
        this.mayChange = mayChange;
    }

    /** The class under control. With points if it is under test. */
    public byte[] weave(byte[] original, boolean underTest) {
        ClassReader reader = new ClassReader(original);
        ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        reader.accept(new Woven(writer, underTest), ClassReader.EXPAND_FRAMES);
        return writer.toByteArray();
    }

    /** The names of a class's fields, and whether they may change. */
    public static void fields(byte[] original, Map<String, Boolean> result) {
        new ClassReader(original)
                .accept(
                        new ClassVisitor(Opcodes.ASM9) {
                            @Override
                            public @Nullable FieldVisitor visitField(
                                    int access,
                                    String name,
                                    String type,
                                    @Nullable String signature,
                                    @Nullable Object value) {
                                result.put(name, (access & Opcodes.ACC_FINAL) == 0);
                                return null;
                            }
                        },
                        ClassReader.SKIP_CODE);
    }

    private final class Woven extends ClassVisitor {

        private final boolean underTest;
        private String owner = "";

        Woven(ClassVisitor next, boolean underTest) {
            super(Opcodes.ASM9, next);
            this.underTest = underTest;
        }

        @Override
        public void visit(
                int version,
                int access,
                String name,
                @Nullable String signature,
                @Nullable String parent,
                String @Nullable [] interfaces) {
            owner = name;
            boolean queued = SYNCHRONIZER.equals(parent);
            super.visit(
                    version,
                    access,
                    name,
                    queued ? null : signature,
                    queued ? CONTROLLED_SYNCHRONIZER : parent,
                    interfaces);
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String type, @Nullable String signature, String @Nullable [] exceptions) {
            boolean locked = (access & Opcodes.ACC_SYNCHRONIZED) != 0;
            MethodVisitor next =
                    super.visitMethod(access & ~Opcodes.ACC_SYNCHRONIZED, name, type, signature, exceptions);
            if (locked) {
                next = new LockedMethod(next, owner, (access & Opcodes.ACC_STATIC) != 0);
            } else if (name.equals("<clinit>")) {
                next = new AtomicMethod(next);
            }
            boolean points = underTest && !name.endsWith("init>");
            return new WovenMethod(next, points ? mayChange : (of, field) -> false, points);
        }
    }
}
