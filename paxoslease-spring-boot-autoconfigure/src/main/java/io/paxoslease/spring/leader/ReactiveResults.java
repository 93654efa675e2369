package io.paxoslease.spring.leader;

import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ReactiveTypeDescriptor;
import org.springframework.util.ClassUtils;

/** Return types whose work begins at a subscription. */
final class ReactiveResults {

    /** Guards subscriptions; Spring also knows other reactive libraries. */
    static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReactiveResults.class.getClassLoader());

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
