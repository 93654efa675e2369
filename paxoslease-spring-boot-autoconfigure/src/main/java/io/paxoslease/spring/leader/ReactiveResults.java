package io.paxoslease.spring.leader;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ReactiveTypeDescriptor;

/** Return types whose work begins at a subscription. */
final class ReactiveResults {

    private ReactiveResults() {}

    /** Null of a type that is none, or that cannot be created here. */
    static @Nullable ReactiveAdapter adapterOf(Class<?> returnType) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(returnType);
        if (adapter == null) {
            return null;
        }
        ReactiveTypeDescriptor type = adapter.getDescriptor();
        // Of a subtype, none can be created from a publisher.
        return type.isDeferred() && returnType.isAssignableFrom(type.getReactiveType()) ? adapter : null;
    }
}
