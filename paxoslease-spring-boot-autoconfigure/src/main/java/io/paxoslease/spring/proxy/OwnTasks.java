package io.paxoslease.spring.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;
import org.springframework.beans.BeanUtils;
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
        Map<String, Class<?>> types = new LinkedHashMap<>();
        addTypes(ClassUtils.getUserClass(targetClass), types);
        return types.values().stream().anyMatch(type -> isCalledIn(type, method, types));
    }

    /** The class and its supertypes, by their names in class files: interfaces, too, whose default methods may schedule tasks. */
    private static void addTypes(@Nullable Class<?> type, Map<String, Class<?>> types) {
        if (type != null && type != Object.class && types.putIfAbsent(Type.getInternalName(type), type) == null) {
            addTypes(type.getSuperclass(), types);
            for (Class<?> each : type.getInterfaces()) {
                addTypes(each, types);
            }
        }
    }

    private static boolean isCalledIn(Class<?> type, Method method, Map<String, Class<?>> types) {
        try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
            if (file == null) {
                return false;
            }
            Calls calls = new Calls(method, types);
            new ClassReader(file).accept(calls, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
            return calls.found;
        } catch (IOException | IllegalArgumentException unreadable) { // or of a later version of Java
            return false;
        }
    }

    private static final class Calls extends ClassVisitor {

        private final Method method;
        /** A method reference may name the class, or the supertype that declares the method. */
        private final Map<String, Class<?>> owners;

        private boolean found;

        Calls(Method method, Map<String, Class<?>> owners) {
            super(SpringAsmInfo.ASM_VERSION);
            this.method = method;
            this.owners = owners;
        }

        @Override
        public @Nullable MethodVisitor visitMethod(
                int access, String caller, String signature, @Nullable String generic, String @Nullable [] exceptions) {
            boolean isInstance = (access & Opcodes.ACC_STATIC) == 0;
            return isInstance && caller.contains(CONFIGURE) ? new Code() : null;
        }

        private boolean isWanted(String owner, String called, String signature) {
            Class<?> type = owners.get(owner);
            boolean isNamedSo = called.equals(method.getName()) && signature.startsWith("()"); // may return a supertype
            return type != null && isNamedSo && !isOther(BeanUtils.findDeclaredMethod(type, called));
        }

        /** Whether a method of that name is one that the wanted method does not override. */
        private boolean isOther(@Nullable Method named) {
            if (named == null || named.equals(method)) {
                return false;
            }
            int modifiers = named.getModifiers();
            boolean packagePrivate = !Modifier.isPublic(modifiers) && !Modifier.isProtected(modifiers);
            return Modifier.isPrivate(modifiers)
                    || (packagePrivate
                            && !named.getDeclaringClass()
                                    .getPackageName()
                                    .equals(method.getDeclaringClass().getPackageName()));
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
