package io.paxoslease.samples.cluster;

import java.util.List;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the page shows at one moment.
 *
 * @param nodes the cards
 * @param roles the table's rows
 * @param summary the sentence at the top
 * @param message what the last button led to
 * @param membership who decides
 * @param events the newest first
 */
record ShownCell(
        List<Node> nodes,
        List<List<String>> roles,
        String summary,
        String message,
        String membership,
        List<String> events) {

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
