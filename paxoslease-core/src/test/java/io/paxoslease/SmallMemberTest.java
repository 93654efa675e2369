package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.FloodedMember.Attack;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A member with a small heap, in a process of its own, and eight clients that send names of 255 bytes as fast as they can over real sockets: it
 * goes on answering, and an honest client gets its lease.
 */
@Tag("slow")
@Timeout(120)
class SmallMemberTest {

    private static final int HEAP_MEGABYTES = 48;
    /** Of which a node takes about 7,500 before anybody asks it. */
    private static final long MOST_KIBIBYTES = 20_000;

    @ParameterizedTest
    @EnumSource
    void clientsDoNotExhaustIt(Attack kind) throws Exception {
        try (FloodedMember member = FloodedMember.start(HEAP_MEGABYTES, Duration.ofSeconds(2))) {
            member.attack(kind, 8, 25_000, Duration.ofSeconds(12));
            assertThat(member.survives()).as(member.output()).isTrue();
            assertThat(member.usedKibibytes()).isBetween(0L, MOST_KIBIBYTES);
        }
    }
}
