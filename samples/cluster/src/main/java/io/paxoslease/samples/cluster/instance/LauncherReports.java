package io.paxoslease.samples.cluster.instance;

import io.paxoslease.samples.cluster.Report;
import io.paxoslease.spring.leader.LeaderContext;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.integration.leader.event.OnGrantedEvent;
import org.springframework.integration.leader.event.OnRevokedEvent;
import org.springframework.stereotype.Component;

/** Tells the launcher what happens here, on standard output. Any thread. */
@Component
class LauncherReports {

    @EventListener(ApplicationReadyEvent.class)
    void onReady() {
        send(Report.of(Report.Kind.READY));
    }

    @EventListener
    void onGranted(OnGrantedEvent event) {
        long at = System.currentTimeMillis();
        if (event.getContext() instanceof LeaderContext context) {
            send(Report.of(Report.Kind.GRANTED)
                    .with("role", event.getRole())
                    .with("token", context.fencingToken())
                    .with("at", at));
        }
    }

    @EventListener
    void onRevoked(OnRevokedEvent event) {
        send(Report.of(Report.Kind.REVOKED).with("role", event.getRole()).with("at", System.currentTimeMillis()));
    }

    void tick(int number, long token, long at) {
        send(Report.of(Report.Kind.TICK)
                .with("number", number)
                .with("token", token)
                .with("at", at));
    }

    void counter(Map<String, Long> counts) {
        send(new Report(
                Report.Kind.COUNTER,
                counts.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, each -> "" + each.getValue()))));
    }

    void lostUpdate(String what) {
        send(Report.of(Report.Kind.LOST_UPDATE).with("what", what.replace(' ', '_')));
    }

    private static void send(Report report) {
        System.out.println(report.toLine());
    }
}
