package io.paxoslease.protocol.paxos;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** How much a node remembers: the largest size of each of its collections, by class and field. */
final class NodeMemory {

    private static final String PROTOCOL = Node.class.getPackageName();

    private final Map<String, Integer> sizes = new TreeMap<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final ArrayDeque<Object> open = new ArrayDeque<>();

    private NodeMemory() {}

    static Map<String, Integer> of(Node node) {
        NodeMemory memory = new NodeMemory();
        memory.visit(node);
        while (!memory.open.isEmpty()) {
            memory.walk(memory.open.remove());
        }
        return memory.sizes;
    }

    private void walk(Object object) {
        for (Field field : fieldsOf(object.getClass())) {
            if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                String name = object.getClass().getSimpleName() + "." + field.getName();
                Object value = read(field, object);
                if (value instanceof SlotTable slots) {
                    sizes.merge("SlotTable.size", slots.size(), Math::max);
                }
                if (value instanceof Collection<?> all) {
                    sizes.merge(name, all.size(), Math::max);
                    all.forEach(this::visit);
                } else if (value instanceof Map<?, ?> map) {
                    sizes.merge(name, map.size(), Math::max);
                    map.values().forEach(each -> visitEach(object, each));
                } else {
                    visit(value);
                }
            }
        }
    }

    /** Of its own and of its parents in the protocol. */
    private static List<Field> fieldsOf(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> each = type; each.getPackageName().equals(PROTOCOL); each = each.getSuperclass()) {
            fields.addAll(List.of(each.getDeclaredFields()));
        }
        return fields;
    }

    /** A map's values may be collections themselves. */
    private void visitEach(Object owner, @Nullable Object value) {
        if (value instanceof Collection<?> all) {
            sizes.merge(owner.getClass().getSimpleName() + ".ofOne", all.size(), Math::max);
            all.forEach(this::visit);
        } else {
            visit(value);
        }
    }

    private void visit(@Nullable Object value) {
        if (value != null
                && value.getClass().getPackageName().equals(PROTOCOL)
                && !value.getClass().isHidden()
                && !value.getClass().isEnum()
                && seen.add(value)) {
            open.add(value);
        }
    }

    private static @Nullable Object read(Field field, Object object) {
        try {
            field.setAccessible(true);
            return field.get(object);
        } catch (IllegalAccessException e) {
            throw new AssertionError(field.toString(), e);
        }
    }
}
