package io.paxoslease.simulation;

import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.Moment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Makes the faults of a scenario happen, and ends them. */
final class FaultInjector {

    private static final long STATUS_NANOS = 10_000_000;

    private final World world;
    private final List<SimulatedNode> nodes;
    private final SimulatedNetwork network;
    private final Meetings meetings;

    FaultInjector(World world, List<SimulatedNode> nodes, SimulatedNetwork network, Meetings meetings) {
        this.meetings = meetings;
        this.world = world;
        this.nodes = nodes;
        this.network = network;
    }

    /** None lasts longer than the time for faults. */
    void plan(List<Fault> faults) {
        for (Fault fault : faults) {
            world.agenda().at(fault.at(), () -> begin(fault));
        }
    }

    private void atEndOf(Fault fault, Runnable action) {
        long end = Math.min(fault.at() + fault.duration(), world.scenario().safetyNanos());
        world.agenda().at(Math.max(world.now(), end), action);
    }

    private void begin(Fault fault) {
        if (world.trace().isOn()) {
            world.trace().note(world.now(), "", String.valueOf(fault));
        }
        if (fault instanceof Fault.Partition partition) {
            network.partition(partition, true);
            atEndOf(fault, () -> network.partition(partition, false));
        } else if (fault instanceof Fault.Clog clog) {
            network.clog(clog, true);
            atEndOf(fault, () -> network.clog(clog, false));
        } else if (fault instanceof Fault.Noise noise) {
            network.noise(noise, true);
            atEndOf(fault, () -> network.noise(noise, false));
        } else if (fault instanceof Fault.WrongHint hint) {
            SimulatedNode victim = nodes.get(hint.victim());
            met(Situation.WRONG_HINT, victim.life() != null && hint.victim() != hint.about());
            victim.hint(nodes.get(hint.about()).id(), false);
            atEndOf(fault, () -> {
                SimulatedNode about = nodes.get(hint.about());
                if (world.scenario().changes() == null || meetings.isConnected(victim, about)) {
                    victim.hint(about.id(), true);
                }
            });
        } else if (fault instanceof Fault.Store change) {
            store(change);
        } else {
            beginAtNode(fault);
        }
    }

    private void beginAtNode(Fault fault) {
        if (fault instanceof Fault.Crash crash) {
            crash(nodes.get(crash.victim()), crash);
        } else if (fault instanceof Fault.Deploy deploy) {
            deploy(nodes.get(deploy.victim()), deploy);
        } else if (fault instanceof Fault.CleanStop stop) {
            SimulatedNode victim = nodes.get(stop.victim());
            victim.stop();
            atEndOf(fault, () -> victim.start(victim::goneAt));
        } else if (fault instanceof Fault.Pause pause) {
            SimulatedNode victim = nodes.get(pause.victim());
            victim.standstill().pause(pause);
            atEndOf(fault, () -> victim.standstill().resume(pause));
        } else if (fault instanceof Fault.Stall stall) {
            SimulatedNode victim = nodes.get(stall.victim());
            victim.standstill().arm(stall);
            world.agenda().at(world.scenario().safetyNanos(), () -> victim.standstill()
                    .disarm(stall));
        } else if (fault instanceof Fault.Suspend suspend) {
            SimulatedNode victim = nodes.get(suspend.victim());
            met(Situation.SUSPEND, victim.life() != null);
            victim.suspend();
            atEndOf(fault, victim::resume);
        } else if (fault instanceof Fault.Renewal renewal) {
            SimulatedNode victim = nodes.get(renewal.victim());
            Life life = victim.life();
            if (life != null) {
                victim.whenAwake(life, () -> victim.leases()
                        .forEach(lease -> lease.renew(Duration.ofNanos(renewal.leaseNanos()))));
            }
        } else if (fault instanceof Fault.WallStep step) {
            SimulatedNode victim = nodes.get(step.victim());
            met(Situation.WALL_STEP, victim.life() != null && step.byMicros() != 0);
            victim.clock().stepWall(step.byMicros());
            victim.clockChanged();
        } else if (fault instanceof Fault.RateChange change) {
            SimulatedNode victim = nodes.get(change.victim());
            met(Situation.RATE_CHANGE, victim.life() != null);
            victim.clock().setRate(change.millionths());
            victim.clockChanged();
        } else {
            throw new IllegalArgumentException("Nothing happens for " + fault);
        }
    }

    private void met(Situation situation, boolean hasAnEffect) {
        if (hasAnEffect) {
            world.statistics().met(situation);
        }
    }

    private void crash(SimulatedNode victim, Fault.Crash crash) {
        if (victim.life() != null && world.scenario().changes() != null) {
            met(
                    Situation.MEMBER_LOST_IN_A_CHANGE,
                    victim.file().number() > world.seals().sealed());
        }
        victim.crash();
        if (!crash.messagesSurvive()) {
            network.dropConnections(victim.index());
        }
        if (crash.reboots() && victim.life() == null && !victim.clock().isFrozen()) {
            world.statistics().met(Situation.REBOOT);
            victim.reboot(world.random().nextLong());
        }
        atEndOf(crash, () -> victim.start(() -> processStart(victim)));
    }

    private void store(Fault.Store change) {
        Generation next =
                Objects.requireNonNull(world.scenario().changes()).files().get(change.file());
        if (world.isHealed()) {
            return;
        }
        if (change.waits() && world.seals().shown() < next.number() - 1) {
            world.agenda().after(STATUS_NANOS, () -> store(change));
            return;
        }
        meetings.store().put(next);
    }

    /** The operator looks at the status until the change before is sealed, if the plan says so; for a removal, the last one. */
    private void deploy(SimulatedNode victim, Fault.Deploy deploy) {
        Changes changes = Objects.requireNonNull(world.scenario().changes());
        Generation file = deploy.file() < 0 ? null : changes.files().get(deploy.file());
        int needed = file == null ? changes.lastFile().number() : file.number() - 1;
        if (world.isHealed()) {
            return;
        }
        boolean isTooEarly = file != null && meetings.store().refuses(victim, file);
        if (isTooEarly || (deploy.waits() && world.seals().shown() < needed)) {
            world.agenda().after(STATUS_NANOS, () -> deploy(victim, deploy));
            return;
        }
        victim.stop();
        victim.crash();
        if (victim.isInstalled() && file != null && victim.file().number() > file.number()) {
            met(Situation.CHANGE_UNDONE, victim.file().number() > world.seals().sealed());
        }
        world.note(victim.index(), file == null ? "IS REMOVED" : "IS GIVEN " + file);
        victim.configure(file == null ? null : meetings.store().started(victim, file));
        world.agenda().after(deploy.duration(), () -> {
            if (!world.isHealed()) {
                victim.start(() -> processStart(victim));
            }
        });
    }

    /** Any time until now, also long before the last process has died: the next one boots while the last one serves. */
    private Moment processStart(SimulatedNode victim) {
        Moment now = victim.clock().moment();
        long down = Math.max(0, victim.goneAt().nanosUntil(now));
        long age = world.random().nextLong(down + 2 * world.scenario().recoveryNanos());
        met(Situation.BOOTED_BESIDE_THE_LAST, age > down);
        return now.plusNanos(-age);
    }
}
