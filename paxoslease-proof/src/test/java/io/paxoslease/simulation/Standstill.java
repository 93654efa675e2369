package io.paxoslease.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The pauses of one process, and the stalls of its threads. */
final class Standstill {

    private static final long MILLI = 1_000_000;

    private final World world;
    private final SimulatedNode node;
    private final List<Runnable> waiting = new ArrayList<>(2);
    private Fault.@Nullable Pause coming;
    private int tasksLeft;
    private boolean paused;
    private Fault.@Nullable Stall armed;

    Standstill(World world, SimulatedNode node) {
        this.world = world;
        this.node = node;
    }

    boolean isOn() {
        return paused;
    }

    /** The process stands still when its loop has done so many more tasks. */
    void pause(Fault.Pause pause) {
        if (paused || node.life() == null) {
            return;
        }
        coming = pause;
        tasksLeft = pause.afterTasks();
        begin();
    }

    void taskDone() {
        if (coming != null && !paused) {
            tasksLeft--;
            begin();
        }
    }

    private void begin() {
        if (tasksLeft <= 0) {
            paused = true;
            world.note(node.index(), "PAUSES");
            world.statistics().met(Situation.PAUSE);
        }
    }

    void resume(Fault.Pause pause) {
        if (!pause.equals(coming)) {
            return;
        }
        coming = null;
        if (paused) {
            paused = false;
            world.note(node.index(), "GOES ON");
            node.beliefsAfterPause();
            Life life = node.life();
            if (life != null) {
                life.simulatedLoop().reorder(pause.timersFirst());
                life.simulatedLoop().run();
            }
            wake();
        }
    }

    /** User code that waits for the process to go on. */
    void later(Runnable task) {
        waiting.add(task);
    }

    void wake() {
        List<Runnable> tasks = List.copyOf(waiting);
        waiting.clear();
        tasks.forEach(Runnable::run);
    }

    void arm(Fault.Stall stall) {
        armed = stall;
    }

    void disarm(Fault.Stall stall) {
        if (stall.equals(armed)) {
            armed = null;
        }
    }

    boolean isArmed(Fault.Place place) {
        return armed != null && armed.place() == place;
    }

    /** The thread that comes by here stands still for the time of the stall, if one waits for it; the others go on. */
    void at(Fault.Place place) {
        Fault.Stall stall = armed;
        Life life = node.life();
        if (stall == null || stall.place() != place || life == null) {
            return;
        }
        boolean onLoop = life.simulatedLoop().isRunning();
        if (onLoop == (place == Fault.Place.IN_CALL) || world.isDeep()) {
            return;
        }
        armed = null;
        world.statistics()
                .met(
                        switch (place) {
                            case AFTER_READING -> Situation.STALL_AFTER_READING;
                            case BEFORE_SENDING -> Situation.STALL_BEFORE_SENDING;
                            case IN_CALL -> Situation.STALL_IN_CALL;
                        });
        world.note(node.index(), "STALLS " + place);
        world.letPass(stall.duration());
        while (node.standsStill() && world.now() < world.scenario().safetyNanos()) {
            world.letPass(MILLI);
        }
        world.note(node.index(), "GOES ON " + place);
    }

    void clear() {
        paused = false;
        coming = null;
        armed = null;
        waiting.clear();
    }
}
