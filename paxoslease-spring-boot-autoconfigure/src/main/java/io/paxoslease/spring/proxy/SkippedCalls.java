package io.paxoslease.spring.proxy;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** The values that skipped calls return, by return type. */
public final class SkippedCalls {

    private static final Map<Class<?>, Object> EMPTY = Map.ofEntries(
            Map.entry(Optional.class, Optional.empty()),
            Map.entry(OptionalInt.class, OptionalInt.empty()),
            Map.entry(OptionalLong.class, OptionalLong.empty()),
            Map.entry(OptionalDouble.class, OptionalDouble.empty()),
            Map.entry(Iterable.class, List.of()),
            Map.entry(Collection.class, List.of()),
            Map.entry(List.class, List.of()),
            Map.entry(Set.class, Set.of()),
            Map.entry(Map.class, Map.of()));

    private SkippedCalls() {}

    /** Creates the value of each skipped call; null if no value of that type can mean "skipped". */
    public static @Nullable Supplier<@Nullable Object> valueFor(Class<?> returnType) {
        if (returnType == void.class) {
            return () -> null;
        }
        if (returnType.isPrimitive()) {
            return null;
        }
        Object empty = EMPTY.get(returnType);
        if (empty != null) {
            return () -> empty;
        }
        if (returnType == Stream.class) {
            return Stream::empty; // a new one each time: it is used up
        }
        if (Future.class.isAssignableFrom(returnType) || CompletionStage.class.isAssignableFrom(returnType)) {
            return returnType.isAssignableFrom(CompletableFuture.class) ? SkippedCalls::completedWithNull : null;
        }
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        return adapter == null ? () -> null : emptyReactive(adapter, returnType);
    }

    /** A new future each time: callers may complete or cancel it. */
    @SuppressWarnings("FutureReturnValueIgnored") // the caller gets it as the method's declared type
    private static Object completedWithNull() {
        return CompletableFuture.completedFuture(null);
    }

    private static @Nullable Supplier<@Nullable Object> emptyReactive(ReactiveAdapter adapter, Class<?> returnType) {
        // A required single value has no empty form, and that of a subtype cannot be created from its supertype's.
        return adapter.supportsEmpty()
                        && returnType.isInstance(adapter.getDescriptor().getEmptyValue())
                ? () -> adapter.getDescriptor().getEmptyValue()
                : null;
    }
}
