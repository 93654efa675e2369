package io.paxoslease.shards.plan;

import io.paxoslease.shards.plan.Decision.Claim;
import io.paxoslease.shards.plan.Decision.EndWork;
import io.paxoslease.shards.plan.Participant.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Situations in which an instance must do nothing, and a group that hands its shards over: what went wrong in them. */
public class GroupHunt implements Supplier<List<String>> {

    private final List<String> found = new ArrayList<>();

    @Override
    public List<String> get() {
        unknownWish();
        stalledView();
        otherCount();
        handOver();
        return found;
    }

    private void unknownWish() {
        HandGroup group = HandGroup.unbalanced();
        List<Integer> moves = group.moves();
        IntStream.range(0, 8).filter(shard -> !moves.contains(shard)).forEach(shard -> group.want(shard, "n2"));
        report(group.pass(1_000), EndWork.class, "a wish that the own plan does not know is obeyed");
    }

    private void stalledView() {
        HandGroup group = HandGroup.withAnOwner();
        group.free(3);
        group.participation.stalled();
        report(group.pass(60_000), Claim.class, "a stalled view claims");
    }

    private void otherCount() {
        HandGroup group = new HandGroup(8);
        IntStream.range(0, 4).forEach(shard -> group.own(shard, "n2"));
        group.see("n2", new Participant(State.ACTIVE, 2, 400, 1, "r1", 16, 16));
        report(group.join(), Claim.class, "another number of shards is accepted");
    }

    private void report(List<Decision> decisions, Class<? extends Decision> kind, String what) {
        decisions.stream().filter(kind::isInstance).forEach(each -> found.add(what + ": " + each));
    }

    private void handOver() {
        GroupModel model = GroupModel.settled(1, 16, 3);
        model.start("x", "r1");
        model.run(90 * GroupModel.SECOND);
        model.leave("n1");
        model.run(10 * GroupModel.SECOND);
        found.addAll(model.violations);
    }
}
