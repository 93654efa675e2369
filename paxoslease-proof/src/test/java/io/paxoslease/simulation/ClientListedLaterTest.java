package io.paxoslease.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The list of the next generation has the id of a client that is connected. */
@Tag("proof")
class ClientListedLaterTest {

    private static final Duration MAX = Duration.ofSeconds(2);

    private static MemberList list(String... ids) {
        return new MemberList(Stream.of(ids).map(NodeId::new).toList(), MAX, 0.1);
    }

    @Test
    void itKeepsItsLeaseWhileNoMemberHasItsId() {
        Generation first = Generation.first(list("a", "b", "c"));
        Generation second = new Generation(2, list("a", "b", "d"), first.current());
        RegisterCell cell = new RegisterCell(1);
        List.of("a", "b", "c", "d").forEach(id -> cell.start(id, first));
        cell.pass(Duration.ofSeconds(12));
        Lease lease = cell.await(cell.node("d").acquire("r", AcquireOptions.renewing()))
                .join();
        cell.change(second, "a", "b", "c");
        cell.pass(Duration.ofSeconds(12));
        assertThat(cell.sealed("a")).isEqualTo(2);
        assertThat(lease.isHeld()).isTrue();
        assertThat(cell.node("d").monitor().isRunning()).isTrue();
    }
}
