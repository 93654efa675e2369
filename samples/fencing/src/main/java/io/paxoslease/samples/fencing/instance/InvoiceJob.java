package io.paxoslease.samples.fencing.instance;

import io.paxoslease.election.Leadership;
import io.paxoslease.samples.fencing.Report.Kind;
import io.paxoslease.spring.fencing.StaleTokenException;
import io.paxoslease.spring.leader.OnLeader;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Numbers invoices. Only the leader does, and so it keeps the last number in memory. On the scheduler's one thread. */
@Component
class InvoiceJob {

    private final Invoices invoices;
    private final Launcher launcher;
    /** The token of the leadership in which the last number was read; zero when it has to be read again. */
    private long tenure;

    private long last;

    InvoiceJob(Invoices invoices, Launcher launcher) {
        this.invoices = invoices;
        this.launcher = launcher;
    }

    /** Without the interrupt that a lost leadership sends: here the late write is to happen, and the fence to meet it. */
    @Scheduled(fixedDelay = 250)
    @OnLeader(role = "invoices", interrupt = false)
    void writeNext() {
        writeNext(Leadership.current().fencingToken());
    }

    private void writeNext(long token) {
        if (token != tenure) {
            last = invoices.last(token);
            tenure = token;
            launcher.report(Kind.LEADS, 0, token, 0);
        }
        long number = last + 1;
        launcher.pauseBeforeWriting(number, token);
        try {
            invoices.write(number, token);
            last = number;
            launcher.report(Kind.WRITTEN, number, token, 0);
        } catch (StaleTokenException stale) {
            tenure = 0;
            launcher.report(Kind.REJECTED, number, token, stale.latestToken());
        } catch (RuntimeException e) {
            tenure = 0; // whether it was committed is not known
            throw e;
        }
    }
}
