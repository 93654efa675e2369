package io.paxoslease.clusters;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Members that change while the cell is used: they lead one role in turns, and clients, which are never restarted, lead ten and acquire
 * and release leases all the time. A change follows the manual, and runs another step between two of its own.
 */
final class BusyCell implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(2);

    private static final int CLIENTS = 2;
    private static final int ROLES = 10;
    private static final String ALIAS = "members";

    final Cell cell = new Cell();
    private final Setup setup = Setup.of().withClocksThatCanBeSet().withAlias(ALIAS);
    private final List<Member> members = new ArrayList<>();
    private final List<Member> clients = new ArrayList<>();
    private Listing listing;
    /** The name of a file in which a client writes the time. */
    private String clock = "";

    /** Starts the members and the clients, and waits until they are ready. */
    BusyCell(int callers, String... first) {
        listing = Listing.of(List.of(first), LEASE);
        for (String name : first) {
            members.add(cell.add(name, memberSetup()));
        }
        for (int i = 1; i <= CLIENTS; i++) {
            clients.add(cell.add("c" + i, clientSetup(callers / CLIENTS)));
        }
        cell.startApart();
        try {
            awaitReady();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Waits until all serve, and the members agree on a leader. */
    void awaitReady() {
        cell.awaitAgreement(members());
        clients.forEach(BusyCell::awaitServing);
    }

    private Setup memberSetup() {
        return setup.forMembersOf(listing);
    }

    private static Setup clientSetup(int callers) {
        List<String> roles =
                IntStream.range(0, ROLES).mapToObj(each -> "held-" + each).toList();
        return Setup.of("--paxoslease.roles.billing.eligible=false", "--witness.callers=" + callers)
                .with("--witness.roles=" + String.join(",", roles))
                .with(roles.stream()
                        .map("--paxoslease.roles.%s.eligible=true"::formatted)
                        .toArray(String[]::new))
                .forClientsOf(ALIAS);
    }

    List<Member> members() {
        return List.copyOf(members);
    }

    List<String> names() {
        return listing.members();
    }

    /** The time by the clock that the containers share: of one file, because those of the callers grow all the time. */
    long now() {
        String client = clients.get(0).name();
        if (clock.isEmpty()) {
            clock = cell.files().keySet().stream()
                    .filter(each -> each.startsWith(client + "-") && each.endsWith(".leads"))
                    .findFirst()
                    .orElseThrow();
        }
        return History.of(Map.of(clock, cell.file(clock))).lastSample(client);
    }

    /** All members, one after the other, to another release or back. */
    void roll(boolean toAnother) {
        for (Member member : members()) {
            restart(member, toAnother);
        }
    }

    /** Restarts a member in another release, or in this one. */
    void restart(Member member, boolean inAnother) {
        restart(member, inAnother ? memberSetup().ofAnotherRelease() : memberSetup());
    }

    private static void restart(Member member, Setup with) {
        member.terminate();
        member.awaitEnd();
        member.configure(with);
        member.restart();
        awaitServing(member);
        awaitRenewals();
    }

    /** The step of the manual between two restarts: by then each lease was renewed with the member's vote. */
    private static void awaitRenewals() {
        long serving = System.nanoTime();
        Wait.until("half a lease time is over", () -> System.nanoTime() - serving > LEASE.toNanos() / 2);
    }

    /** One that has given up is started again, as a supervisor does it: others may have kept its last connections for too long. */
    static void awaitServing(Member member) {
        Wait.until(member + " serves", () -> {
            if (!member.isRunning()) {
                member.restart();
            }
            return member.state().equals("SERVING");
        });
    }

    /** Members and clients. */
    List<Member> everyone() {
        return Stream.concat(members.stream(), clients.stream()).toList();
    }

    /** Ends when the change is sealed and the members that leave are gone. */
    void change(Collection<String> after) {
        change(after, step -> {});
    }

    /**
     * The same, with something between its steps.
     *
     * @param between is told before each step which member it is about; before the wait for the seal, none
     */
    void change(Collection<String> after, Consumer<String> between) {
        List<String> before = names();
        listing = listing.changedTo(after);
        Setup next = memberSetup();
        for (String name : after) {
            if (!before.contains(name)) {
                between.accept(name);
                Member added = cell.add(name, next);
                members.add(added);
                added.startable().start();
                awaitServing(added);
            }
        }
        for (Member member : toRestart(before, after)) {
            between.accept(member.name());
            restart(member, next);
        }
        between.accept("");
        for (Member member : members()) {
            if (after.contains(member.name())) {
                Wait.until(
                        "generation %d is sealed at %s".formatted(listing.generation(), member),
                        () -> member.sealedGeneration() == listing.generation());
            }
        }
        for (Member member : members()) {
            if (!after.contains(member.name())) {
                members.remove(member);
                cell.drop(member);
            }
        }
    }

    /** Those that stay; also those that leave, if the former are no majority of the list before. From the last one to the first. */
    private List<Member> toRestart(List<String> before, Collection<String> after) {
        List<Member> old = new ArrayList<>(
                members.stream().filter(each -> before.contains(each.name())).toList());
        Collections.reverse(old);
        List<Member> staying =
                old.stream().filter(each -> after.contains(each.name())).toList();
        return staying.size() > before.size() / 2 ? staying : old;
    }

    @Override
    public void close() {
        cell.close();
    }
}
