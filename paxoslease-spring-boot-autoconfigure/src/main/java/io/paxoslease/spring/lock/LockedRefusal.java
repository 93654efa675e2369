package io.paxoslease.spring.lock;

import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import io.paxoslease.spring.proxy.UnguardedBeans;
import org.aopalliance.aop.Advice;

/** Refuses beans with {@link Locked} methods without their locks: there is no node, or they do not pass the post-processor. */
final class LockedRefusal extends UnguardedBeans {

    private static final Problem NO_NODE = new Problem(
            "this application has no PaxosLease node.",
            "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLockAutoConfiguration; or remove the bean. For"
                    + " development and tests, paxoslease.standalone=true makes a cell of this instance alone.");

    LockedRefusal() {
        super(LockedMethods.LOCKED, LockedPostProcessor.class, "without their locks");
    }

    @Override
    protected boolean isAnnotated(Class<?> type) {
        return !LockedMethods.of(type).isEmpty();
    }

    @Override
    protected boolean isGuard(Advice advice) {
        return advice instanceof LockedInterceptor;
    }

    @Override
    protected Problem missing() {
        return NO_NODE;
    }
}
