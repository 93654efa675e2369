package io.paxoslease.spring.actuate;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/**
 * Names each observation {@value #NAME}, with the keys {@code kind} and {@code role}; or {@code resource}, of high cardinality, when a
 * lease is lost; or {@code group} and, of high cardinality, {@code shard}. After a thousand roles or groups further ones have the value
 * {@code none}.
 */
public class DefaultLeaseCallbackObservationConvention implements LeaseCallbackObservationConvention {

    /** The name of every observation. */
    public static final String NAME = "paxoslease.callback";

    private static final String ROLE = "role";
    private static final String GROUP = "group";

    private final FewNames roles = new FewNames(ROLE, "observations");
    private final FewNames groups = new FewNames(GROUP, "observations");

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
        return switch (context.kind()) {
            case LOST -> kind; // there may be any number of leases
            case GRANTED, REVOKED -> kind.and(ROLE, value(roles, context.subject()));
            case SHARD_GRANTED, SHARD_REVOKED, SHARD_CALL -> kind.and(GROUP, value(groups, groupOf(context)));
        };
    }

    private static String value(FewNames names, String name) {
        return names.admits(name) ? name : KeyValue.NONE_VALUE;
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LeaseCallbackObservationContext context) {
        return switch (context.kind()) {
            case LOST -> KeyValues.of("resource", context.subject());
            case GRANTED, REVOKED -> KeyValues.empty();
            case SHARD_GRANTED, SHARD_REVOKED, SHARD_CALL -> KeyValues.of("shard", context.subject());
        };
    }

    private static String kindOf(LeaseCallbackObservationContext context) {
        return context.kind().name().toLowerCase(Locale.ROOT);
    }

    private static String groupOf(LeaseCallbackObservationContext context) {
        return context.subject().substring(0, context.subject().lastIndexOf('/'));
    }
}
