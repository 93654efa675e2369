package io.paxoslease.clusters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class JudgeTest {

    @Test
    void oneAfterTheOtherWithGrowingTokensIsRight() {
        Judge.Verdict verdict =
                Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("b", 2, 11, 20), new Tenure("a", 3, 50, 60)));

        assertThat(verdict).isEqualTo(new Judge.Verdict(2, 30, List.of()));
    }

    @Test
    void theOrderInWhichTenuresAreGivenDoesNotMatter() {
        Judge.Verdict verdict = Judge.judge(List.of(new Tenure("b", 2, 11, 20), new Tenure("a", 1, 0, 10)));

        assertThat(verdict.violations()).isEmpty();
        assertThat(verdict.handOvers()).isEqualTo(1);
    }

    @Test
    void twoThatLeadAtOnceAreFound() {
        Judge.Verdict verdict = Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("b", 2, 9, 20)));

        assertThat(verdict.violations()).singleElement().asString().startsWith("OVERLAP of 1 ns");
    }

    @Test
    void oneInstantIsEnough() {
        assertThat(Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("b", 2, 10, 20)))
                        .violations())
                .hasSize(1);
    }

    @Test
    void aShortTenureInsideOfALongOneIsFoundEvenAfterAThird() {
        Judge.Verdict verdict = Judge.judge(
                List.of(new Tenure("a", 1, 0, 100), new Tenure("b", 2, 10, 20), new Tenure("c", 3, 30, 40)));

        assertThat(verdict.violations()).hasSize(2).allMatch(each -> each.contains("node=a"));
    }

    @Test
    void overlappingTenuresOfOneNodeUnderTwoTokensAreFound() {
        assertThat(Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("a", 2, 5, 20)))
                        .violations())
                .hasSize(1);
    }

    @Test
    void aTokenThatFallsIsFound() {
        Judge.Verdict verdict = Judge.judge(List.of(new Tenure("a", 2, 0, 10), new Tenure("b", 1, 11, 20)));

        assertThat(verdict.violations()).singleElement().asString().startsWith("TOKEN");
    }

    @Test
    void aTokenOfTwoNodesIsFound() {
        assertThat(Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("b", 1, 11, 20)))
                        .violations())
                .hasSize(1);
    }

    @Test
    void anOldLeadershipThatComesBackIsFound() {
        Judge.Verdict verdict =
                Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("b", 2, 11, 20), new Tenure("a", 1, 21, 30)));

        assertThat(verdict.violations()).singleElement().asString().startsWith("TOKEN");
    }

    @Test
    void piecesOfOneLeadershipAreOneLeadership() {
        Judge.Verdict verdict =
                Judge.judge(List.of(new Tenure("a", 1, 0, 10), new Tenure("a", 1, 8, 9), new Tenure("a", 1, 30, 40)));

        assertThat(verdict).isEqualTo(new Judge.Verdict(0, 0, List.of()));
    }

    @Test
    void nobodyEverIsRightToo() {
        assertThat(Judge.judge(List.of())).isEqualTo(new Judge.Verdict(0, 0, List.of()));
    }

    @Test
    void aTenureDoesNotEndBeforeItBegins() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Tenure("a", 1, 10, 9));
    }
}
