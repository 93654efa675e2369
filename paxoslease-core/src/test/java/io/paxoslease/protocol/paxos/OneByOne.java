package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.TenureList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Effects as whoever looks at single leases wants them: what is said of many at once is said of each. */
public final class OneByOne {

    private OneByOne() {}

    /** The same, in the same order. */
    public static List<Effect> of(List<Effect> effects) {
        List<Effect> each = new ArrayList<>(effects.size());
        for (Effect effect : effects) {
            if (effect instanceof Effect.ExtendedTogether together) {
                each.addAll(each(together));
            } else {
                each.add(effect);
            }
        }
        return each;
    }

    static List<Effect.Extended> each(Effect.ExtendedTogether together) {
        TenureList tenures = together.tenures();
        return IntStream.range(0, tenures.size())
                .mapToObj(i -> new Effect.Extended(
                        tenures.resource(i), tenures.token(i), together.until(), together.askedAt()))
                .toList();
    }
}
