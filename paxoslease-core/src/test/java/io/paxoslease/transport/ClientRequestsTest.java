package io.paxoslease.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.paxos.PaxosMessage;
import io.paxoslease.protocol.paxos.PaxosMessage.AskStanding;
import io.paxoslease.protocol.paxos.PaxosMessage.Extend;
import io.paxoslease.protocol.paxos.PaxosMessage.InMode;
import io.paxoslease.protocol.paxos.PaxosMessage.Nominate;
import io.paxoslease.protocol.paxos.PaxosMessage.Prepare;
import io.paxoslease.protocol.paxos.PaxosMessage.Propose;
import io.paxoslease.protocol.paxos.PaxosMessage.Release;
import io.paxoslease.protocol.paxos.PaxosMessage.ReleaseTo;
import io.paxoslease.protocol.paxos.PaxosMessage.StillInUse;
import io.paxoslease.protocol.registers.MaxRegisterMessage;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.watch.WatchMessage;
import io.paxoslease.protocol.watch.WatchMessage.Unwatch;
import io.paxoslease.protocol.watch.WatchMessage.Watch;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Of all that nodes say to each other, a member takes only requests from clients. */
class ClientRequestsTest {

    private static Stream<Class<?>> kindsOf(Class<?> type) {
        return type.isSealed()
                ? Stream.of(type.getPermittedSubclasses()).flatMap(ClientRequestsTest::kindsOf)
                : Stream.of(type);
    }

    /** Of the samples. */
    private static Set<Class<?>> kindsOf(Predicate<Message> which) {
        return Samples.everyType().stream().filter(which).map(Message::getClass).collect(Collectors.toSet());
    }

    @Test
    void onlyRequestsAreTakenAndEveryKindOfMessageIsLookedAt() {
        Set<Class<?>> kinds = Stream.of(PaxosMessage.class, MaxRegisterMessage.class, WatchMessage.class)
                .flatMap(ClientRequestsTest::kindsOf)
                .collect(Collectors.toSet());
        assertThat(kindsOf(message -> true)).as("the samples are of every kind").isEqualTo(kinds);
        assertThat(kindsOf(ClientRequests::contains))
                .containsExactlyInAnyOrder(
                        Prepare.class,
                        Propose.class,
                        Extend.class,
                        Release.class,
                        StillInUse.class,
                        Nominate.class,
                        ReleaseTo.class,
                        InMode.class,
                        AskStanding.class,
                        RaiseRegister.class,
                        ReadRegister.class,
                        Watch.class,
                        Unwatch.class);
    }
}
