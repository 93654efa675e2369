package io.paxoslease.interleaving;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import org.jspecify.annotations.Nullable;

/** One method's instructions, with {@link Control} in place of what blocks, and with points. */
final class WovenMethod extends MethodVisitor {

    static final String CONTROL = "io/paxoslease/interleaving/Control";

    private static final String CONCURRENT = "java/util/concurrent/";
    /** Concurrent ones are mostly called by these names. */
    private static final List<String> COLLECTIONS =
            List.of("java/util/Map", "java/util/Set", "java/util/Queue", "java/util/List", "java/util/Collection");

    /** What {@link Control} stands for, by class and name. */
    private static final Map<String, List<String>> CONTROLLED = new HashMap<>();

    static {
        List<String> computing = List.of("computeIfAbsent", "computeIfPresent", "compute", "merge");
        CONTROLLED.put("java/lang/Object", List.of("wait", "notify", "notifyAll"));
        CONTROLLED.put(
                "java/lang/Thread",
                List.of("start", "join", "isAlive", "interrupt", "isInterrupted", "interrupted", "sleep"));
        CONTROLLED.put("java/lang/System", List.of("nanoTime"));
        CONTROLLED.put(CONCURRENT + "locks/LockSupport", List.of("park", "parkNanos", "unpark"));
        CONTROLLED.put(CONCURRENT + "CompletableFuture", List.of("get", "join", "delayedExecutor"));
        CONTROLLED.put(CONCURRENT + "CountDownLatch", List.of("await"));
        CONTROLLED.put("org/slf4j/LoggerFactory", List.of("getLogger"));
        CONTROLLED.put("java/util/Map", computing);
        CONTROLLED.put(CONCURRENT + "ConcurrentMap", computing);
        CONTROLLED.put(CONCURRENT + "ConcurrentHashMap", computing);
    }

    private final BiPredicate<String, String> mayChange;
    private final boolean points;

    WovenMethod(MethodVisitor next, BiPredicate<String, String> mayChange, boolean points) {
        super(Opcodes.ASM9, next);
        this.mayChange = mayChange;
        this.points = points;
    }

    @Override
    public void visitInsn(int code) {
        if (code == Opcodes.MONITORENTER || code == Opcodes.MONITOREXIT) {
            control(code == Opcodes.MONITORENTER ? "monitorEnter" : "monitorExit", "(Ljava/lang/Object;)V");
        } else {
            super.visitInsn(code);
        }
    }

    @Override
    public void visitFieldInsn(int code, String owner, String name, String type) {
        if (mayChange.test(owner, name)) {
            point();
        }
        super.visitFieldInsn(code, owner, name, type);
    }

    @Override
    public void visitMethodInsn(int code, String owner, String name, String type, boolean onInterface) {
        boolean constructor = name.equals("<init>");
        if (constructor && owner.equals(Weaver.SYNCHRONIZER)) {
            super.visitMethodInsn(code, Weaver.CONTROLLED_SYNCHRONIZER, name, type, false);
        } else if (constructor && owner.equals("java/lang/Thread")) {
            newThread(type);
        } else if (isControlled(owner, name)) {
            control(name, code == Opcodes.INVOKESTATIC ? type : withReceiver(owner, type));
        } else {
            if (points && !constructor && (owner.startsWith(CONCURRENT) || COLLECTIONS.contains(owner))) {
                point();
            }
            super.visitMethodInsn(code, owner, name, type, onInterface);
        }
    }

    /** With the code to run on the stack, and perhaps a name over it. */
    private void newThread(String type) {
        boolean named = type.equals("(Ljava/lang/Runnable;Ljava/lang/String;)V");
        if (!named && !type.equals("(Ljava/lang/Runnable;)V")) {
            throw new IllegalStateException("a thread is made in a way that is not controlled yet: " + type);
        }
        if (named) {
            super.visitInsn(Opcodes.SWAP);
        }
        control("controlled", "(Ljava/lang/Runnable;)Ljava/lang/Runnable;");
        if (named) {
            super.visitInsn(Opcodes.SWAP);
        }
        super.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Thread", "<init>", type, false);
    }

    @Override
    public void visitInvokeDynamicInsn(String name, String type, Handle bootstrap, @Nullable Object... arguments) {
        Object[] woven = Arrays.stream(arguments)
                .map(argument -> argument instanceof Handle handle ? woven(handle) : argument)
                .toArray();
        super.visitInvokeDynamicInsn(name, type, bootstrap, woven);
    }

    private static Handle woven(Handle handle) {
        if (!isControlled(handle.getOwner(), handle.getName())) {
            return handle;
        }
        boolean isStatic = handle.getTag() == Opcodes.H_INVOKESTATIC;
        String type = isStatic ? handle.getDesc() : withReceiver(handle.getOwner(), handle.getDesc());
        return new Handle(Opcodes.H_INVOKESTATIC, CONTROL, handle.getName(), type, false);
    }

    private static boolean isControlled(String owner, String name) {
        return CONTROLLED.getOrDefault(owner, List.of()).contains(name);
    }

    /** As {@link Control} has it: all maps are maps there. */
    private static String withReceiver(String owner, String type) {
        boolean map = owner.endsWith("Map");
        return "(L" + (map ? "java/util/Map" : owner) + ";" + type.substring(1);
    }

    private void point() {
        control("point", "()V");
    }

    private void control(String name, String type) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, CONTROL, name, type, false);
    }
}
