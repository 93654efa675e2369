package io.paxoslease.spring.runs;

import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseException;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The members remember for each method the latest slot that is finished, in a {@link PaxosLease#raise max register}. */
final class CellRuns implements RunLog {

    private static final Logger log = LoggerFactory.getLogger(RunLog.class);

    private static final long LIMIT_SECONDS = 10;

    /** By register: this node's latest run. */
    private final Map<String, ScheduledRun> begun = new ConcurrentHashMap<>();

    private final PaxosLease node;

    CellRuns(PaxosLease node) {
        this.node = node;
    }

    @Override
    public boolean isMissed(ScheduledRun run) {
        OptionalLong finished = await(node.read(registerOf(run)));
        if (finished.isEmpty()) {
            finish(run);
            return false;
        }
        return finished.getAsLong() < run.slot().getEpochSecond() && !hasBegun(run);
    }

    /** A run that is due is not given up because the members cannot be asked: they are asked at all for the sake of missed ones. */
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
            OptionalLong finished = await(node.read(registerOf(run)));
            return finished.isPresent() && finished.getAsLong() >= run.slot().getEpochSecond();
        } catch (PaxosLeaseException failure) {
            log.warn("The members cannot be asked whether it is finished, so it is run: {}", run, failure);
            return false;
        }
    }

    @Override
    public void finish(ScheduledRun run) {
        await(node.raise(registerOf(run), run.slot().getEpochSecond()));
    }

    private static String registerOf(ScheduledRun run) {
        return "runs:%s/%s".formatted(run.role(), run.task());
    }

    /** The node answers within five seconds of its own clock, see {@link PaxosLease#raise}. */
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
