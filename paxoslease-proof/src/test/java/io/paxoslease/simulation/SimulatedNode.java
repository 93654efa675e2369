package io.paxoslease.simulation;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.flease.FleaseOptions;
import io.paxoslease.node.SimulatedEnvironment;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.MemberList;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Moment;
import io.paxoslease.protocol.NodeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One machine and the production node on it: starts, stops, dies, stands still. */
final class SimulatedNode implements SimulatedLoop.Owner {

    private static final long LONGEST_WAKE_UP = 20_000;
    private static final long RETRY = 1_000_000;

    private final World world;
    private final int index;
    private final NodeId id;
    private final Cell cell;
    private final SimulatedClock clock;
    /** Which configuration each life was started with, from the first one on. */
    private final List<Generation> filesOfLives = new ArrayList<>();
    /** The same for what each life has moved to since. */
    private final List<Generation> generationsOfLives = new ArrayList<>();

    private final BeliefWatch beliefs;
    private final MemoryWatch memory;
    private final Standstill standstill;
    /** What the next process is started with; null: the node is not started. */
    private @Nullable Generation file;
    /** The highest generation that it has run. */
    private int furthest;

    private PaxosLease process;
    private @Nullable Life life;
    private Moment goneAt;
    private int lives;
    private long incarnations;
    private long firstOfThisLife;
    private boolean isStarting;

    /** The other nodes, as a machine sees them. */
    interface Cell {

        void send(SimulatedNode from, NodeId to, List<Message> messages);

        /** For the transport's hints: the node came or went. */
        void changed(SimulatedNode node);
    }

    SimulatedNode(World world, int index, NodeId id, Cell cell, SimulatedClock clock, @Nullable Generation file) {
        this.world = world;
        this.index = index;
        this.id = id;
        this.cell = cell;
        this.clock = clock;
        this.file = file;
        this.beliefs = new BeliefWatch(world, this);
        this.memory =
                world.subject().watch(this, !isClient() && world.scenario().acceptors() > 1);
        this.standstill = new Standstill(world, this);
        this.goneAt = clock.moment();
        this.process = newProcess(goneAt);
        clock.afterEachReading(() -> standstill.at(Fault.Place.AFTER_READING));
    }

    private PaxosLease newProcess(Moment memoryLostAt) {
        return SimulatedEnvironment.create(options(), () -> newLife(memoryLostAt));
    }

    /** What the node is started with, as far as its runtime looks at it. */
    private PaxosLeaseOptions options() {
        Scenario scenario = world.scenario();
        MemberList list = (file == null ? scenario.firstFile() : file).current();
        Duration lease = Duration.ofNanos(scenario.leaseNanos());
        PaxosLeaseOptions.Builder options = PaxosLeaseOptions.builder(id.name())
                .leaseTime(lease.compareTo(list.maxLeaseTime()) > 0 ? list.maxLeaseTime() : lease)
                .maxLeaseTime(list.maxLeaseTime())
                .clockDrift(list.clockDrift())
                .algorithm(
                        scenario.isFlease()
                                ? FleaseOptions.builder()
                                        .clockBound(Duration.ofNanos(scenario.clockBoundNanos()))
                                        .build()
                                : AlgorithmOptions.PAXOSLEASE);
        for (int peer = 0; scenario.nodes() > 1 && peer < scenario.nodes(); peer++) {
            options.peer(Scenario.id(peer).name(), Scenario.id(peer) + ":1");
        }
        return options.build();
    }

    private Life newLife(Moment memoryLostAt) {
        lives++;
        filesOfLives.add(file());
        generationsOfLives.add(file());
        furthest = Math.max(furthest, file().number());
        Life made = new Life(world, this, new SimulatedLoop(world.agenda(), clock, this), memoryLostAt);
        life = made;
        memory.born(clock.moment());
        return made;
    }

    /**
     * As soon as the machine is awake.
     *
     * @param memoryLost when the process started, which may be long before, while another served: asked when it starts, for the machine may boot
     *     again before
     */
    void start(Supplier<Moment> memoryLost) {
        if (file == null) {
            return;
        }
        if (life == null && clock.isFrozen()) {
            world.agenda().after(RETRY, () -> start(memoryLost));
        } else if (life == null) {
            Moment memoryLostAt = memoryLost.get();
            world.note(index, "STARTS");
            world.statistics().mix(world.now());
            if (lives > 0) {
                world.statistics().restart();
            }
            process = newProcess(memoryLostAt);
            firstOfThisLife = incarnations + 1;
            isStarting = true;
            process.start();
            isStarting = false;
            look();
            cell.changed(this);
        }
    }

    /**
     * Stops as a user does, unless the call would have to wait: for a start that is under way, or for a loop that could not
     * take part now. It comes back when the node has stopped.
     */
    void stop() {
        Life stopping = life;
        if (stopping == null
                || isStarting
                || standsStill()
                || stopping.simulatedLoop().isRunning()) {
            return;
        }
        world.note(index, "STOPS");
        world.statistics().met(Situation.CLEAN_STOP);
        stopping.simulatedLoop().runAtOnce();
        process.stop();
        if (life == stopping) { // it may have died, and another begun, before the call came back
            beliefs.lookForEnds();
            gone();
        }
    }

    /** The next process is started with that; null: there is none. */
    void configure(@Nullable Generation next) {
        file = next;
    }

    /** What the next process is started with, which the present one was as well, unless an operator is at it. */
    Generation file() {
        return Objects.requireNonNull(file);
    }

    boolean isInstalled() {
        return file != null;
    }

    /** What that life of it was started with. */
    Generation fileOf(int ofLife) {
        return filesOfLives.get(ofLife - 1);
    }

    /** The process has moved while it runs. */
    void moved(Generation now) {
        generationsOfLives.set(lives - 1, now);
        furthest = Math.max(furthest, now.number());
    }

    /** Whether it has run a later generation before. */
    boolean isReturned() {
        return file().number() < furthest;
    }

    /** What users may ask for. */
    long longestLeaseNanos() {
        return file().current().maxLeaseTime().toNanos();
    }

    boolean isClient() {
        return index >= world.scenario().acceptors();
    }

    /** Whether it would answer somebody who connects. */
    boolean answers() {
        return !isStarting && !standsStill();
    }

    void crash() {
        Life dying = life;
        if (dying != null) {
            world.note(index, "CRASHES");
            world.statistics().met(Situation.CRASH);
            dying.end();
            beliefs.forgetAll();
            gone();
        }
    }

    private void gone() {
        life = null;
        goneAt = clock.moment();
        memory.gone();
        standstill.clear();
        cell.changed(this);
    }

    /** The machine boots again. */
    void reboot(long origin) {
        clock.reboot(origin);
        goneAt = clock.moment();
    }

    /** When the last process died, or the node was stopped in it. */
    Moment goneAt() {
        return goneAt;
    }

    /** Runs a task of user code of that life, when its process runs. */
    void whenAwake(Life of, Runnable task) {
        if (of.isOver()) {
            return;
        }
        if (standsStill()) {
            standstill.later(() -> whenAwake(of, task));
        } else {
            task.run();
            look();
        }
    }

    void track(Lease lease) {
        beliefs.add(lease);
    }

    void released(Lease lease) {
        beliefs.released(lease);
    }

    /** Reports what has changed: first what is not believed any more, then what the acceptor did, then what is believed. */
    void look() {
        Life mine = life;
        if (mine != null && !clock.isFrozen()) {
            if (SimulatedEnvironment.hasFailed(process)) {
                world.broken(index, "it found a fault in itself");
            }
            beliefs.lookForEnds();
            world.seals().look(this, mine);
            memory.look(clock.moment());
            beliefs.lookForBeginnings();
        }
    }

    @Override
    public void taskDone() {
        world.statistics().mix(world.now() * 8 + index);
        look();
        memory.listenedTo();
        standstill.taskDone();
    }

    @Override
    public boolean standsStill() {
        return standstill.isOn() || clock.isFrozen();
    }

    @Override
    public long wakeUpNanos() {
        return world.random().nextLong(LONGEST_WAKE_UP);
    }

    @Override
    public void handedOver() {
        standstill.at(Fault.Place.IN_CALL);
    }

    void beforeSending() {
        if (standstill.isArmed(Fault.Place.BEFORE_SENDING)) {
            look();
            standstill.at(Fault.Place.BEFORE_SENDING);
        }
    }

    void send(NodeId to, List<Message> messages) {
        memory.sends(messages);
        if (world.trace().isOn()) {
            world.note(index, "to " + to + ": " + messages);
        }
        cell.send(this, to, messages);
    }

    /** From the network. */
    void receive(SimulatedNode from, int itsLife, List<Message> messages) {
        Life mine = life;
        if (mine != null && world.scenario().changes() != null && !from.isKnownTo(mine, itsLife)) {
            world.statistics().met(Situation.MESSAGE_OF_ANOTHER_CONFIGURATION);
        } else if (mine != null) {
            mine.arrive(from.index(), from.id(), messages);
        }
    }

    /** Whether one that has met it in that life would know it. */
    private boolean isKnownTo(Life other, int ofLife) {
        return other.admits(fileOf(ofLife)) || other.admits(generationsOfLives.get(ofLife - 1));
    }

    /** A task that handles these begins. */
    void heard(int from, List<Message> messages) {
        world.statistics().mix(world.now() ^ ((long) messages.size() << 56));
        memory.hears(messages);
        if (world.trace().isOn()) {
            world.note(index, "from n" + from + ": " + messages);
        }
    }

    void hint(NodeId peer, boolean reachable) {
        Life mine = life;
        if (mine != null) {
            mine.hint(peer, reachable);
        }
    }

    /** The clocks were changed: what this node believes and excludes lasts longer or shorter now. */
    void clockChanged() {
        if (life != null) {
            beliefs.clockChanged();
            memory.clockChanged();
            look();
        }
    }

    /** Its wall clock shows the right time, or nearly, from now on. */
    void setRight() {
        long by = -clock.wallOffsetMicros();
        if (by != 0) {
            world.note(index, "has its wall clock set by " + by + " us");
            clock.stepWall(by);
            clockChanged();
        }
    }

    /** A machine that sleeps runs nobody who could ask. */
    void suspend() {
        beliefs.suspended();
        clock.freeze();
    }

    void resume() {
        if (clock.isFrozen()) {
            clock.thaw();
            clockChanged();
            Life mine = life;
            if (mine != null) {
                mine.simulatedLoop().wakeTimers();
                mine.simulatedLoop().run();
            }
            standstill.wake();
        }
    }

    void beliefsAfterPause() {
        beliefs.resumed();
    }

    long nextIncarnation() {
        return ++incarnations * world.scenario().nodes() + index;
    }

    /** Whether this life of the node has used that incarnation. */
    boolean isOwn(long incarnation) {
        int nodes = world.scenario().nodes();
        return incarnation % nodes == index && incarnation / nodes >= firstOfThisLife;
    }

    int lives() {
        return lives;
    }

    int index() {
        return index;
    }

    NodeId id() {
        return id;
    }

    SimulatedClock clock() {
        return clock;
    }

    Standstill standstill() {
        return standstill;
    }

    PaxosLease process() {
        return process;
    }

    MemoryWatch memory() {
        return memory;
    }

    @Nullable
    Life life() {
        return life;
    }

    Life liveLife() {
        return Objects.requireNonNull(life);
    }

    List<Lease> leases() {
        return beliefs.open();
    }
}
