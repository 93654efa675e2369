package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import java.util.ArrayList;
import java.util.List;

/** Effects as whoever looks at single leases wants them: what is said of many at once is said of each. */
public final class OneByOne {

    private OneByOne() {}

    /** The same, in the same order. */
    public static List<Effect> of(List<Effect> effects) {
        List<Effect> each = new ArrayList<>(effects.size());
        for (Effect effect : effects) {
            if (effect instanceof Effect.ExtendedTogether together) {
                each.addAll(together.each());
            } else {
                each.add(effect);
            }
        }
        return each;
    }
}
