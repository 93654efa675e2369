package io.paxoslease.spring.actuate;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.paxoslease.NodeObserver;
import java.util.Locale;

/**
 * An observation named {@value #NAME} around each callback of the application: on grant and revocation of leadership,
 * and on the loss of a lease. A candidate that works inside {@code onGranted} is observed as long as it works.
 */
public final class CallbackObservations implements NodeObserver {

    /** The name of every observation. */
    public static final String NAME = "paxoslease.callback";

    private static final String ROLE = "role";

    private final ObservationRegistry registry;
    private final FewNames roles = new FewNames(ROLE, "observations");

    /** @param registry receives the observations */
    public CallbackObservations(ObservationRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void around(Kind kind, String name, Callback callback) throws InterruptedException {
        String what = kind.name().toLowerCase(Locale.ROOT);
        Observation observation = Observation.createNotStarted(NAME, registry)
                .contextualName(what + " " + name)
                .lowCardinalityKeyValue("kind", what);
        if (kind == Kind.LOST) {
            observation.highCardinalityKeyValue("resource", name); // there may be any number of leases
        } else {
            observation.lowCardinalityKeyValue(ROLE, roles.admits(name) ? name : KeyValue.NONE_VALUE);
        }
        observation.observeChecked(callback::run);
    }
}
