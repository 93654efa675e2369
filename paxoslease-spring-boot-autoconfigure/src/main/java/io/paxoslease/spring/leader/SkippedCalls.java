package io.paxoslease.spring.leader;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;

/** The values that skipped calls return, by return type. */
final class SkippedCalls {

    private static final Map<Class<?>, Object> EMPTY_OPTIONALS = Map.of(
            Optional.class, Optional.empty(),
            OptionalInt.class, OptionalInt.empty(),
            OptionalLong.class, OptionalLong.empty(),
            OptionalDouble.class, OptionalDouble.empty());

    private SkippedCalls() {}

    /** Creates the value of each skipped call; null if no value of that type can mean "skipped". */
    static @Nullable Supplier<@Nullable Object> valueFor(Class<?> returnType) {
        if (returnType == void.class) {
            return () -> null;
        }
        if (returnType.isPrimitive()) {
            return null;
        }
        Object emptyOptional = EMPTY_OPTIONALS.get(returnType);
        if (emptyOptional != null) {
            return () -> emptyOptional;
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
