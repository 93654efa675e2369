package io.paxoslease.spring.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.util.ClassUtils;

/**
 * Finds the method without parameters that a {@link SchedulingConfigurer} schedules as {@code this::method} or {@code () -> method()}. Reads the
 * class files, because a task does not tell what it calls; finds nothing where there are none, as in a native image.
 */
final class OwnTasks {

    private static final String CONFIGURE = "configureTasks"; // and part of the names of its lambda expressions

    private OwnTasks() {}

    /** Whether tasks of the bean call the method on the object itself. */
    static boolean call(Method method, Class<?> targetClass) {
        if (method.getParameterCount() > 0 || !SchedulingConfigurer.class.isAssignableFrom(targetClass)) {
            return false;
        }
        boolean found = false;
        for (Class<?> type = ClassUtils.getUserClass(targetClass);
                type != null && type != Object.class && !found;
                type = type.getSuperclass()) {
            found = isCalledIn(type, method);
        }
        return found;
    }

    private static boolean isCalledIn(Class<?> type, Method method) {
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            if (file == null) {
                return false;
            }
            Calls calls = new Calls(type, method);
            new ClassReader(file).accept(calls, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return calls.found;
        } catch (IOException | IllegalArgumentException unreadable) { // or of a later version of Java
            return false;
        }
    }

    private static final class Calls extends ClassVisitor {

        /** The class and its supertypes: a method reference may name the one that declares the method. */
        private final Set<String> owners = new HashSet<>();

        private final String name;
        private final String descriptor;
        private boolean found;

        Calls(Class<?> type, Method method) {
            super(SpringAsmInfo.ASM_VERSION);
            for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
                owners.add(Type.getInternalName(each));
            }
            for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
                owners.add(Type.getInternalName(each));
            }
            this.name = method.getName();
            this.descriptor = Type.getMethodDescriptor(method);
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String caller, String signature, @Nullable String generic, String @Nullable [] exceptions) {
            boolean isInstance = (access & Opcodes.ACC_STATIC) == 0;
            return isInstance && caller.contains(CONFIGURE) ? new Code() : null;
        }

        private boolean isWanted(String owner, String called, String signature) {
            return owners.contains(owner) && called.equals(name) && signature.equals(descriptor);
        }

        /** Looks at what comes right after {@code this}: no other object is called then. */
        private final class Code extends MethodVisitor {

            private boolean onThis;

            Code() {
                super(SpringAsmInfo.ASM_VERSION);
            }

            @Override
            public void visitVarInsn(int opcode, int variable) {
                onThis = opcode == Opcodes.ALOAD && variable == 0;
            }

            @Override
            public void visitFieldInsn(int opcode, String owner, String field, String signature) {
                onThis = false;
            }

            @Override
            public void visitTypeInsn(int opcode, String owner) {
                onThis = false;
            }

            @Override
            public void visitMethodInsn(
                    int opcode, String owner, String called, String signature, boolean ofInterface) {
                found |= onThis && isWanted(owner, called, signature);
                onThis = false;
            }

            @Override
            public void visitInvokeDynamicInsn(String lambda, String signature, Handle bootstrap, Object... arguments) {
                for (Object each : arguments) {
                    found |= onThis
                            && each instanceof Handle handle
                            && isWanted(handle.getOwner(), handle.getName(), handle.getDesc());
                }
                onThis = false;
            }
        }
    }
}
