package io.paxoslease.protocol.paxos;

import java.lang.reflect.Field;
import java.util.AbstractMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a node takes the others to know, in small worlds: each of them knows of each seal. So it asks the new list alone as soon as it knows of
 * the seal itself, which is as early as it ever may, and earlier (R4): whom else it asks before is advice.
 */
public final class SealKnownToAll {

    private SealKnownToAll() {}

    /** From now on. */
    public static Node in(Node node) {
        try {
            Object generations = field(node, "generations").get(node);
            Object awareness = field(generations, "awareness").get(generations);
            field(awareness, "known").set(awareness, new Everything());
            return node;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }

    /** Nothing that is heard changes it. */
    private static final class Everything extends AbstractMap<Object, Object> {

        @Override
        public Object getOrDefault(@Nullable Object acceptor, Object otherwise) {
            return Integer.MAX_VALUE;
        }

        @Override
        public @Nullable Object put(Object acceptor, Object generation) {
            return null;
        }

        @Override
        public @Nullable Object remove(@Nullable Object acceptor) {
            return null;
        }

        @Override
        public Set<Map.Entry<Object, Object>> entrySet() {
            return Set.of();
        }
    }
}
