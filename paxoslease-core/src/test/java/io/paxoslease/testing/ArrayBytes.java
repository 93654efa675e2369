package io.paxoslease.testing;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** How many bytes the arrays and collections hold that an object of this project refers to, over any number of references. */
public final class ArrayBytes {

    private static final int REFERENCE = 4;
    private static final int ENTRY = 32;

    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Object> open = new ArrayDeque<>();
    private long bytes;

    private ArrayBytes() {}

    /** Of that object and all that it refers to, headers not counted. */
    public static long of(Object root) {
        ArrayBytes all = new ArrayBytes();
        all.visit(root);
        while (!all.open.isEmpty()) {
            all.look(all.open.remove());
        }
        return all.bytes;
    }

    private void visit(@Nullable Object value) {
        if (value != null && seen.add(value)) {
            open.add(value);
        }
    }

    private void look(Object object) {
        Class<?> type = object.getClass();
        if (type.isArray()) {
            int length = Array.getLength(object);
            bytes += (long) length * size(type.getComponentType());
            if (object instanceof Object[] elements) {
                for (Object element : elements) {
                    visit(element);
                }
            }
        } else if (object instanceof Collection<?> all) {
            bytes += (long) all.size() * ENTRY;
            all.forEach(this::visit);
        } else if (object instanceof Map<?, ?> map) {
            bytes += (long) map.size() * ENTRY;
            map.values().forEach(this::visit);
        } else if (object instanceof BitSet bits) {
            bytes += bits.size() / Byte.SIZE;
        } else if (type.getName().startsWith("io.paxoslease.") && !type.isEnum() && !type.isHidden()) {
            fields(object, type);
        }
    }

    private void fields(Object object, Class<?> type) {
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                try {
                    field.setAccessible(true);
                    visit(field.get(object));
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(field.toString(), e);
                }
            }
        }
    }

    private static int size(Class<?> type) {
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == byte.class || type == boolean.class) {
            return Byte.BYTES;
        }
        return type == short.class || type == char.class ? Short.BYTES : REFERENCE;
    }
}
