package io.paxoslease.exploration;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Quorum;
import io.paxoslease.protocol.Timing;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;

/**
 * A fingerprint of everything a {@link Peer} remembers, by reflection, so that no field of a production class can be
 * forgotten. Left out are what never changes, and the queue of timers, which follows from the claims.
 */
final class StateHash {

    private static final Set<String> FOLLOWS_FROM_THE_REST = Set.of(
            "io.paxoslease.protocol.Timers",
            "io.paxoslease.protocol.EffectBuffer",
            "io.paxoslease.protocol.paxos.Share",
            "io.paxoslease.protocol.flease.TimeRules",
            "io.paxoslease.protocol.storage.AccessTimes");

    /**
     * Fields that follow from the time, or from the settings: a {@link Peer} compares clocks at every time and is answered at once. It asks where
     * acceptors stand at every time, as no interval is longer, however soon an answer is wanted; and it sends nobody word of a seal. Its horizon
     * is too near for registers to be forgotten.
     */
    private static final Set<String> FOLLOW_FROM_THE_TIME = Set.of(
            "Peer.comparedUntil",
            "Peer.question",
            "Peer.questionAt",
            "Question.askedAt",
            "GenerationPolls.interval",
            "GenerationPolls.soon",
            "OwnGeneration.toldSealed",
            "Generations.changedAt",
            "AcceptorSlot.promisedByNode",
            "Clocks.peers",
            "Clocks.ids",
            "Clocks.asksAt",
            "Clocks.answersFrom",
            "FleaseNode.nextClockCheck",
            "Registers.lowestSlot",
            "Registers.taken",
            "Register.touched");

    /** Numbers that only tell one thing from another, and what only people look at. */
    private static final Set<String> NAMES_ONLY = Set.of(
            "io.paxoslease.protocol.paxos.GenerationPolls.nonce",
            "io.paxoslease.protocol.paxos.GenerationPolls$Question.nonce",
            "io.paxoslease.protocol.storage.Accesses.lastAccess",
            "io.paxoslease.protocol.storage.Accesses.open",
            "io.paxoslease.protocol.storage.ResourceState$Access.id",
            "io.paxoslease.protocol.storage.RegisterMessage$Read.access",
            "io.paxoslease.protocol.storage.RegisterMessage$Write.access",
            "io.paxoslease.protocol.storage.RegisterMessage$CompareAndSet.access",
            "io.paxoslease.protocol.storage.RegisterObservation.at",
            // Matters when a store loses writes for a second time, which those explorations do not have that visit
            // every state.
            "io.paxoslease.protocol.storage.RegisterObservation.knownAt");

    /** When it is to wake follows from the rest. */
    private static final String TIMED = "io.paxoslease.protocol.Timed";

    /** The states of a claim, which are told apart by their types. */
    private static final String CLAIM_STATE = "io.paxoslease.protocol.paxos.ClaimState$";

    private static final String SLOT_TABLE = "io.paxoslease.protocol.paxos.SlotTable";
    private static final Set<Class<?>> NEVER_CHANGES =
            Set.of(NodeId.class, Quorum.class, Timing.class, Generation.class, Cell.class);

    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final IdentityHashMap<Object, Integer> seen = new IdentityHashMap<>();
    private long high;
    private long low;
    /** Two halves, so that a chance collision is out of the question. */
    record Print(long high, long low) {}

    Print of(Object root) {
        seen.clear();
        high = 0x9E3779B97F4A7C15L;
        low = 0xC2B2AE3D27D4EB4FL;
        visit(root);
        return new Print(high, low);
    }

    private void add(long value) {
        high = mix(high ^ value) + 0x9E3779B97F4A7C15L;
        low = mix(low + value * 0xD6E8FEB86659FD93L) ^ (high >>> 7);
    }

    private static long mix(long z) {
        long y = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        y = (y ^ (y >>> 27)) * 0x94D049BB133111EBL;
        return y ^ (y >>> 31);
    }

    private void visit(@org.jspecify.annotations.Nullable Object value) {
        if (value == null) {
            add(1);
        } else if (value instanceof Number number) {
            add(number.longValue());
        } else if (value instanceof Boolean flag) {
            add(flag ? 2 : 3);
        } else if (value instanceof CharSequence || value instanceof Enum<?>) {
            add(value.toString().hashCode());
        } else if (value instanceof NodeId id) {
            add(id.name().hashCode());
        } else if (value instanceof Generation generation) {
            add(generation.hashCode());
        } else if (value instanceof Quorum quorum) {
            add(quorum.mode());
            add(quorum.content());
        } else if (value instanceof long[] array) {
            add(array.length);
            for (long element : array) {
                add(element);
            }
        } else if (value instanceof Map<?, ?> map) {
            List<Map.Entry<?, ?>> entries = new ArrayList<>(map.entrySet());
            entries.sort(Comparator.comparing(entry -> String.valueOf(entry.getKey())));
            add(entries.size());
            entries.forEach(entry -> {
                visit(entry.getKey());
                visit(entry.getValue());
            });
        } else if (value.getClass().getName().equals(SLOT_TABLE)) {
            visit(contents(value));
        } else if (value instanceof int[] array) {
            add(array.length);
            for (int element : array) {
                add(element);
            }
        } else if (value instanceof byte[] array) {
            add(Arrays.hashCode(array));
        } else if (value instanceof Object[] array) {
            visit(Arrays.asList(array));
        } else if (value instanceof Collection<?> collection) {
            add(collection.size());
            collection.forEach(this::visit);
        } else if (!isLeftOut(value)) {
            visitFields(value);
        }
    }

    /** The slots by name, and whose each place is: not where the columns lie. */
    private static List<Object> contents(Object table) {
        Map<String, Object> slots = new HashMap<>();
        List<Object> contents = new ArrayList<>(List.of(slots));
        BiConsumer<String, Object> collect = slots::put;
        invoke(table, "forEach", new Moment(0), collect);
        int end = (int) invoke(table, "end");
        for (int place = 0; place < end; place++) {
            contents.add(invoke(table, "generation", place));
        }
        return contents;
    }

    private static Object invoke(Object table, String name, Object... arguments) {
        for (Method method : table.getClass().getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                try {
                    method.setAccessible(true);
                    Object result = method.invoke(table, arguments);
                    return result == null ? table : result;
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException("No method " + name + " in " + table.getClass());
    }

    private static boolean isLeftOut(Object value) {
        return NEVER_CHANGES.contains(value.getClass())
                || value instanceof RandomGenerator
                || FOLLOWS_FROM_THE_REST.contains(value.getClass().getName());
    }

    private void visitFields(Object value) {
        if (!value.getClass().getName().startsWith("io.paxoslease.")) {
            throw new IllegalStateException("Cannot tell whether this is part of the state: " + value.getClass());
        }
        Integer before = value.getClass().isRecord() ? null : seen.putIfAbsent(value, seen.size());
        if (before != null) {
            add(before);
            return;
        }
        if (value.getClass().getName().startsWith(CLAIM_STATE)) {
            add(value.getClass().getName().hashCode());
        }
        for (Field field : fields.computeIfAbsent(value.getClass(), StateHash::fieldsOf)) {
            try {
                if (field.getType() == long.class) {
                    add(field.getLong(value));
                } else if (field.getType() == int.class) {
                    add(field.getInt(value));
                } else if (field.getType() == boolean.class) {
                    add(field.getBoolean(value) ? 2 : 3);
                } else {
                    visit(field.get(value));
                }
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static List<Field> fieldsOf(Class<?> type) {
        List<Field> result = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            String name = type.getSimpleName() + "." + field.getName();
            if (!Modifier.isStatic(field.getModifiers())
                    && !FOLLOW_FROM_THE_TIME.contains(name)
                    && !NAMES_ONLY.contains(type.getName() + "." + field.getName())) {
                field.setAccessible(true);
                result.add(field);
            }
        }
        Class<?> parent = type.getSuperclass();
        if (parent != null
                && parent.getName().startsWith("io.paxoslease.")
                && !parent.getName().equals(TIMED)) {
            result.addAll(fieldsOf(parent));
        }
        return result;
    }
}
