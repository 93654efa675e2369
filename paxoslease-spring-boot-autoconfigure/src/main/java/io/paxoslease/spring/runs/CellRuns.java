package io.paxoslease.spring.runs;

import io.paxoslease.MaxRegisters;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members remember for each method the latest slot that is finished, in a {@link MaxRegisters#raise max register}. Any member or client of the cell
 * may raise it, and it never falls again. So a slot that is further in the future than clocks of instances differ is not believed: no instance can
 * have finished it, unless its clock is wrong, and believed it would stop the method's runs until then.
 */
final class CellRuns implements RunLog {

    private static final Logger log = LoggerFactory.getLogger(RunLog.class);

    private static final long LIMIT_SECONDS = 10;

    private static final Duration FURTHEST_AHEAD = Duration.ofHours(1);

    /** By register: this node's latest run. */
    private final Map<String, ScheduledRun> begun = new ConcurrentHashMap<>();

    /** Registers that a WARN was written about. */
    private final Set<String> doubted = ConcurrentHashMap.newKeySet();

    private final PaxosLease node;
    private final InstantSource clock;

    CellRuns(PaxosLease node, InstantSource clock) {
        this.node = node;
        this.clock = clock;
    }

    @Override
    public boolean isMissed(ScheduledRun run) {
        OptionalLong finished = finished(run);
        if (finished.isEmpty()) {
            finish(run);
            return false;
        }
        return finished.getAsLong() < run.slot().getEpochSecond() && !hasBegun(run);
    }

    /**
     * A run that is due is not given up because the members cannot be asked: they are asked at all for the sake of missed ones. An interrupt is no
     * answer of theirs: it ends the leadership, or the thread's work.
     */
    @Override
    public boolean begin(ScheduledRun run) {
        boolean begins = !hasBegun(run) && !isFinished(run);
        if (begins) {
            begun.put(registerOf(run), run);
        }
        return begins;
    }

    private boolean hasBegun(ScheduledRun run) {
        ScheduledRun latest = begun.get(registerOf(run));
        return latest != null && latest.token() == run.token() && !latest.slot().isBefore(run.slot());
    }

    private boolean isFinished(ScheduledRun run) {
        try {
            OptionalLong finished = finished(run);
            return finished.isPresent() && finished.getAsLong() >= run.slot().getEpochSecond();
        } catch (PaxosLeaseException failure) {
            if (Thread.currentThread().isInterrupted()) {
                throw failure;
            }
            log.warn(
                    "The members cannot be asked whether it is finished, so it counts as unfinished: {} ({})",
                    run,
                    Printable.text(failure.getMessage()));
            return false;
        }
    }

    @Override
    public void finish(ScheduledRun run) {
        await(node.registers().raise(registerOf(run), run.slot().getEpochSecond()));
    }

    /** The latest slot that is finished, as far as that is remembered and can be. */
    private OptionalLong finished(ScheduledRun run) {
        String register = registerOf(run);
        OptionalLong slot = await(node.registers().read(register));
        long latest = clock.instant().plus(FURTHEST_AHEAD).getEpochSecond();
        if (slot.isEmpty() || slot.getAsLong() <= latest) {
            return slot;
        }
        if (doubted.add(register)) {
            log.warn(
                    "The members say that the slot {} of {} is finished, seconds since 1970, which is more than {} ahead of the clock of this instance, so it counts as if nothing were remembered: the clock of an instance was wrong, or another node of the cell has raised the register '{}'. Nothing is made up for until all members have been stopped at the same time",
                    slot.getAsLong(),
                    run,
                    FURTHEST_AHEAD,
                    Printable.name(register));
        }
        return OptionalLong.empty();
    }

    private static String registerOf(ScheduledRun run) {
        return "runs:%s/%s".formatted(run.role(), run.task());
    }

    /** The node answers within five seconds of its own clock, see {@link MaxRegisters#raise}. */
    private static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new PaxosLeaseException("The members could not be asked about a run", e.getCause());
        } catch (TimeoutException e) {
            throw new PaxosLeaseException("The members have not answered about a run", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PaxosLeaseException("Interrupted while the members were asked about a run", e);
        }
    }
}
