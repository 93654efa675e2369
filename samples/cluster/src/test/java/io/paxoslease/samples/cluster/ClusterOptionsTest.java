package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ClusterOptionsTest {

    @Test
    void portsAreGivenEitherWay() {
        assertThat(ClusterOptions.parse("--base-port=9000", "--http-port", "9100", "--without-lock"))
                .isEqualTo(new ClusterOptions(9000, 9100, 9103, false, Algorithm.PAXOSLEASE, 0));
    }

    @Test
    void anyOfTheThreeAlgorithmsMayBeChosen() {
        assertThat(ClusterOptions.parse("--algorithm=storage").algorithm()).isEqualTo(Algorithm.STORAGE);
        assertThat(ClusterOptions.parse("--algorithm", "flease").algorithm()).isEqualTo(Algorithm.FLEASE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--algorithm=raft"))
                .withMessage("--algorithm is paxoslease, flease or storage, not 'raft'");
    }

    @Test
    void thePageIsBesideTheInstancesUnlessItsPortIsGiven() {
        assertThat(ClusterOptions.parse())
                .isEqualTo(new ClusterOptions(7401, 8081, 8084, true, Algorithm.PAXOSLEASE, 0));
        assertThat(ClusterOptions.parse("--page-port=9000").pageOrigin()).isEqualTo("http://127.0.0.1:9000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--page-port=8083"))
                .withMessage("The page cannot have port 8083: choose another with --page-port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--http-port=65533"))
                .withMessage("The page cannot have port 65536: choose another with --page-port");
    }

    @Test
    void whatIsWrongIsNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--http-port=65534"))
                .withMessage("--http-port needs a port number, not '65534'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--help"))
                .withMessage("Unknown option --help");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--base-port=8083"))
                .withMessage("The ports 8083 and 8081 are too close: they begin ranges of 5 and 6");
    }

    @Test
    void theMembersOfALaterChangeHaveTheirPortsBesideTheOthers() {
        assertThat(Node.all(ClusterOptions.parse()).subList(3, 5))
                .containsExactly(new Node("n4", 7404, 8085), new Node("n5", 7405, 8086));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--page-port=8086"))
                .withMessage("The page cannot have port 8086: choose another with --page-port");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--http-port=65531"))
                .withMessage("--http-port needs a port number up to 65530, not '65531'");
    }

    @Test
    void clientsAreUpToTwentyAndTheirPortsComeAfterTheMembers() {
        ClusterOptions options = ClusterOptions.parse("--clients=2");
        assertThat(options.pagePort()).isEqualTo(8086);
        assertThat(Node.all(options)).extracting(Node::name).containsExactly("n1", "n2", "n3", "n4", "n5", "c1", "c2");
        assertThat(Node.all(options).get(6)).isEqualTo(new Node("c2", 0, 8085));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--clients=21"))
                .withMessage("--clients is a number up to 20, not '21'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--clients"))
                .withMessage("--clients is a number up to 20, not ''");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--clients=1", "--algorithm=flease"))
                .withMessage("--clients goes with --algorithm=paxoslease only: the others know no clients");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterOptions.parse("--clients=5", "--base-port=8087"))
                .withMessage("The ports 8087 and 8081 are too close: they begin ranges of 5 and 11");
    }
}
