package io.paxoslease.samples.cluster;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the page shows at one moment.
 *
 * @param nodes the cards
 * @param roles the table's rows
 * @param summary the sentence at the top
 * @param message what the last button led to
 * @param membership who decides
 * @param shardSummary the sentence about the shards
 * @param shards each shard
 * @param events the newest first
 */
record ShownCell(
        List<Node> nodes,
        List<List<String>> roles,
        String summary,
        String message,
        String membership,
        String shardSummary,
        List<Shard> shards,
        List<String> events) {

    /**
     * @param owner empty if it is free
     * @param certain whether the owner itself says so
     * @param colour of its background
     */
    record Shard(String text, String owner, boolean certain, String colour) {}

    /** @param lease what is left of its lease; empty when it shows none */
    record Node(
            String name, String state, String detail, String lease, String token, String peers, List<String> buttons) {

        boolean leads() {
            return state.startsWith("Leads billing");
        }
    }

    private static final String READ = """
            const text = element => element.textContent.trim();
            return JSON.stringify({
                nodes: [...document.querySelectorAll(".card")].map(card => {
                    const slot = name => card.querySelector(`[data-slot="${name}"]`);
                    const lease = !slot("lease").hidden;
                    return {
                        name: text(slot("name")), state: text(slot("state")), detail: text(slot("detail")),
                        lease: lease ? text(slot("lease-left")) : "", token: lease ? text(slot("token")) : "",
                        peers: [...slot("peers").children].map(text).join("; "),
                        buttons: [...card.querySelectorAll("button")].map(text),
                    };
                }),
                roles: [...document.getElementById("roles").rows].map(row => [...row.cells].map(text)),
                summary: text(document.getElementById("summary")),
                message: text(document.getElementById("message")),
                membership: text(document.getElementById("membership")),
                shardSummary: text(document.getElementById("shards-summary")),
                shards: [...document.getElementById("shards").children].map(square => ({
                    text: text(square), owner: square.dataset.owner, certain: square.dataset.certain === "true",
                    colour: getComputedStyle(square).backgroundColor,
                })),
                events: [...document.querySelectorAll("#events .what")].map(text),
            });
            """;

    static ShownCell in(Browser browser) {
        return JsonMapper.shared().readValue((String) browser.run(READ), ShownCell.class);
    }

    Node node(String name) {
        return nodes.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("There is no " + name + " in " + this));
    }

    /** How many shards each of these owns by its own word, if no other one owns any and they share evenly; else empty. */
    Optional<Map<String, Long>> evenShares(String... names) {
        Map<String, Long> owned = shards.stream()
                .filter(Shard::certain)
                .collect(Collectors.groupingBy(Shard::owner, TreeMap::new, Collectors.counting()));
        boolean isEven = owned.keySet().equals(Set.of(names))
                && owned.values().stream().mapToLong(each -> each).sum() == shards.size()
                && Collections.max(owned.values()) - Collections.min(owned.values()) <= 1;
        return isEven ? Optional.of(owned) : Optional.empty();
    }

    List<String> leaders() {
        return nodes.stream().filter(Node::leads).map(Node::name).toList();
    }

    /** The leader, when all three answer, none is cut off, and all agree. */
    Optional<String> agreed() {
        boolean calm = nodes.size() == 3
                && nodes.stream()
                        .allMatch(each -> each.state().equals("Leads billing")
                                || each.state().equals("Follows"));
        if (!calm || leaders().size() != 1 || roles.size() != 1) {
            return Optional.empty();
        }
        String leader = leaders().get(0);
        return roles.get(0).stream()
                                .filter(text -> text.equals("leads") || text.equals(leader + ", a hint"))
                                .count()
                        == 3
                ? Optional.of(leader)
                : Optional.empty();
    }
}
