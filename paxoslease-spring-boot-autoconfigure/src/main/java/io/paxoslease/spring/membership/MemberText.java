package io.paxoslease.spring.membership;

import io.paxoslease.protocol.Printable;
import java.util.LinkedHashMap;
import java.util.Map;

/** Members in one text, {@code a=host:port,b=host:port}, where there is no place for a map: in an environment variable, in a request. */
public final class MemberText {

    private MemberText() {}

    /**
     * Reads such a text. Spaces and line breaks around an id and an address have no meaning.
     *
     * @return node id to address, in the order of the text; the addresses are not checked
     * @throws IllegalArgumentException if it is no such list, as when it is empty, or lists an id twice
     */
    public static Map<String, String> parse(String text) {
        Map<String, String> members = new LinkedHashMap<>();
        for (String member : text.split(",", -1)) {
            int equals = member.lastIndexOf('='); // an id may have one, an address has none
            String id = member.substring(0, Math.max(0, equals)).strip();
            if (id.isEmpty() || members.put(id, member.substring(equals + 1).strip()) != null) {
                throw new IllegalArgumentException(
                        "The peers must be a list such as 'a=10.0.0.1:7400,b=10.0.0.2:7400', each once, not '%s'"
                                .formatted(Printable.text(text)));
            }
        }
        return members;
    }
}
