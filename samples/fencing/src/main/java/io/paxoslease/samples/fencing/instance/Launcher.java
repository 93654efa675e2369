package io.paxoslease.samples.fencing.instance;

import io.paxoslease.samples.fencing.Report;
import io.paxoslease.samples.fencing.Report.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The launcher as its instances know it: it hears them on standard output and tells them to pause on standard input. */
@Component
class Launcher {

    private boolean held;

    @EventListener(ApplicationReadyEvent.class)
    void onReady() {
        Thread ears = new Thread(this::listen, "launcher");
        ears.setDaemon(true);
        ears.start();
        report(Kind.READY, 0, 0, 0);
    }

    void report(Kind kind, long number, long token, long latestToken) {
        System.out.println(new Report(kind, number, token, latestToken).toLine());
    }

    /** Simulates an event that stops a thread at the worst moment: a garbage collection, swapping, a virtual machine that moves. */
    synchronized void pauseBeforeWriting(long number, long token) {
        if (held) {
            report(Kind.ABOUT_TO_WRITE, number, token, 0);
        }
        while (held) {
            try {
                wait();
            } catch (InterruptedException deaf) {
                // A process that stands still does not hear it.
            }
        }
    }

    /** The end of the input means that the launcher is dead. */
    private void listen() {
        try (var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                setHeld(line.equals(InstanceApplication.HOLD));
            }
        } catch (IOException brokenPipe) {
            // Means the same as the end.
        }
        System.exit(0);
    }

    private synchronized void setHeld(boolean held) {
        this.held = held;
        notifyAll();
    }
}
