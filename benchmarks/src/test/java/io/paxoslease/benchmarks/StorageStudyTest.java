package io.paxoslease.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class StorageStudyTest {

    private static final int CONTENDERS = 5;

    @Test
    void everyContenderHoldsOnce() {
        everyoneHoldsOnce(PaperContenders::new);
        everyoneHoldsOnce(random -> new MachineContenders(random, false));
        everyoneHoldsOnce(random -> new MachineContenders(random, true));
    }

    private static void everyoneHoldsOnce(Function<RandomGenerator, StorageStudy.Contenders> kind) {
        for (int seed = 0; seed < 5; seed++) {
            BitSet holders = new BitSet();
            int[] holds = {0};
            double[] last = {0};
            StorageStudy.Contenders contenders = kind.apply(new SplittableRandom(seed));
            contenders.run(CONTENDERS, client -> {
                holders.set(client);
                holds[0]++;
                assertThat(contenders.now()).isGreaterThan(last[0]);
                last[0] = contenders.now();
            });
            assertThat(holders.cardinality()).isEqualTo(CONTENDERS);
            assertThat(holds[0]).isEqualTo(CONTENDERS);
        }
    }

    /** Read, write, 2 delta, read: three accesses of 1 on average, and 4. */
    @Test
    void aLoneContenderHoldsAfterSevenOnAverage() {
        double sum = 0;
        int runs = 20_000;
        SplittableRandom random = new SplittableRandom(1);
        for (int run = 0; run < runs; run++) {
            StorageStudy.Contenders alone = new PaperContenders(random.split());
            double[] at = {0};
            alone.run(1, client -> at[0] = alone.now());
            sum += at[0];
        }
        assertThat(sum / runs).isCloseTo(7, within(0.05));
    }

    @Test
    void aFitFindsTheFactorsOfItsOwnPoints() {
        double[] x = {1, 2, 4, 8, 16};
        double[] y = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            y[i] = 3 + 0.5 * x[i] - 2 * Math.log(x[i]);
        }
        LeastSquares fit = new LeastSquares(x, y, n -> 1, n -> n, Math::log);
        assertThat(fit.factor(0)).isCloseTo(3, within(1e-9));
        assertThat(fit.factor(1)).isCloseTo(0.5, within(1e-9));
        assertThat(fit.factor(2)).isCloseTo(-2, within(1e-9));
        assertThat(fit.explained()).isCloseTo(1, within(1e-12));
        LeastSquares wrong = new LeastSquares(x, y, n -> 1, Math::log);
        assertThat(wrong.explained()).isLessThan(0.9);
    }
}
