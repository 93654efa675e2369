package io.paxoslease.spring.actuate;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.paxoslease.monitor.NodeObserver;
import java.util.Locale;

/**
 * Names each observation {@value #NAME}, with the keys {@code kind} and {@code role}; or {@code resource}, of high cardinality, when a
 * lease is lost. After a thousand roles further ones have the value {@code none}.
 */
public class DefaultLeaseCallbackObservationConvention implements LeaseCallbackObservationConvention {

    /** The name of every observation. */
    public static final String NAME = "paxoslease.callback";

    private static final String ROLE = "role";

    private final FewNames roles = new FewNames(ROLE, "observations");

    @Override
    public String getName() {
        return NAME;
    }

    @Override
    public String getContextualName(LeaseCallbackObservationContext context) {
        return kindOf(context) + " " + context.subject();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LeaseCallbackObservationContext context) {
        KeyValues kind = KeyValues.of("kind", kindOf(context));
        return isLoss(context)
                ? kind // there may be any number of leases
                : kind.and(ROLE, roles.admits(context.subject()) ? context.subject() : KeyValue.NONE_VALUE);
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LeaseCallbackObservationContext context) {
        return isLoss(context) ? KeyValues.of("resource", context.subject()) : KeyValues.empty();
    }

    private static String kindOf(LeaseCallbackObservationContext context) {
        return context.kind().name().toLowerCase(Locale.ROOT);
    }

    private static boolean isLoss(LeaseCallbackObservationContext context) {
        return context.kind() == NodeObserver.Kind.LOST;
    }
}
