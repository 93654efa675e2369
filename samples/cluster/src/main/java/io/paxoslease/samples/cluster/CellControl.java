package io.paxoslease.samples.cluster;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The page's endpoint: {@code GET /cell?after=17} shows the processes, the network and the events after the 17th;
 * {@code POST /cell/n2/pause} and {@code POST /cell/members/n1,n2,n4} do that. Any thread.
 */
final class CellControl {

    /** An answer: a status code, and what becomes JSON. */
    record Answer(int status, Object body) {

        static Answer error(int status, @Nullable String message) {
            return new Answer(status, Map.of("error", message == null ? "the action failed" : message));
        }
    }

    private final Cluster cluster;
    private final Journal journal;
    /** Identifies this run of the launcher to a page: in another run the numbers of events start again. */
    private final String run = UUID.randomUUID().toString();

    CellControl(Cluster cluster, Journal journal) {
        this.cluster = cluster;
        this.journal = journal;
    }

    /** @param query of the request's address; null when there is none */
    Answer show(@Nullable String query) {
        long after = 0;
        if (query != null) {
            if (!query.matches("after=\\d{1,18}")) {
                return Answer.error(400, "the only parameter is after, a number: ?after=17");
            }
            after = Long.parseLong(query.substring(query.indexOf('=') + 1));
        }
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("run", run);
        String problem = StopSignal.problem();
        if (problem != null) {
            cell.put("cannotPause", problem);
        }
        String uncut = cluster.partitionProblem();
        if (uncut != null) {
            cell.put("cannotPartition", uncut);
        }
        cell.put("members", members());
        cell.put("shardGroup", InstanceCommand.SHARD_GROUP);
        cell.put("nodes", cluster.status());
        cell.put("events", journal.after(after));
        return new Answer(200, cell);
    }

    private Map<String, Object> members() {
        Members now = cluster.members();
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("generation", now.generation());
        members.put("now", now.now());
        members.put("possible", Node.memberNames());
        String step = cluster.step();
        if (step != null) {
            members.put("step", step);
        }
        String problem = cluster.changeProblem();
        if (problem != null) {
            members.put("cannotChange", problem);
        }
        return members;
    }

    private Answer change(String names) {
        try {
            cluster.change(List.of(names.split(",")));
            return new Answer(200, Map.of("members", cluster.members().now()));
        } catch (IllegalArgumentException wrong) {
            return Answer.error(400, wrong.getMessage());
        } catch (IllegalStateException refused) {
            return Answer.error(409, refused.getMessage());
        }
    }

    /** @param path the segments after {@code /cell/} */
    Answer perform(List<String> path) {
        if (path.size() == 2 && path.get(0).equals("members")) {
            return change(path.get(1));
        }
        Action action = path.size() == 2 ? Action.named(path.get(1)).orElse(null) : null;
        if (action == null) {
            return Answer.error(
                    404,
                    "use /cell/<node>/<action> with pause, resume, partition, heal, stop, kill or start, or /cell/members/n1,n2,n4");
        }
        try {
            cluster.perform(action, path.get(0));
            return new Answer(200, Map.of("node", path.get(0), "action", action.word()));
        } catch (NoSuchElementException unknown) {
            return Answer.error(404, unknown.getMessage());
        } catch (IllegalStateException refused) {
            return Answer.error(409, refused.getMessage());
        } catch (IOException failed) {
            return Answer.error(500, failed.getMessage());
        }
    }
}
