package io.paxoslease.samples.shards.instance;

import io.paxoslease.samples.shards.Report;
import io.paxoslease.samples.shards.Report.Kind;
import io.paxoslease.shards.Shard;
import java.io.IOException;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The launcher as its instances know it: it reads their standard output, and holds their standard input open. */
@Component
class Launcher {

    @EventListener(ApplicationReadyEvent.class)
    void onReady() {
        tell(new Report(Kind.READY, 0, 0, 0, 0));
    }

    void report(Kind kind, Shard shard, long order, long latestToken) {
        tell(new Report(kind, shard.index(), shard.fencingToken(), order, latestToken));
    }

    private static void tell(Report report) {
        System.out.println(report.toLine());
    }

    /** The end of the input means that the launcher is dead: this process ends as well. */
    static void follow() {
        Thread ears = new Thread(Launcher::awaitItsEnd, "launcher");
        ears.setDaemon(true);
        ears.start();
    }

    private static void awaitItsEnd() {
        try {
            while (System.in.read() >= 0) {
                // It has nothing to say.
            }
        } catch (IOException brokenPipe) {
            // Means the same as the end.
        }
        System.exit(0);
    }
}
