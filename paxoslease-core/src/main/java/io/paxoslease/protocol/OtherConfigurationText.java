package io.paxoslease.protocol;

import java.util.List;

/** The sentences for the operator about nodes of the cell that run another configuration. */
final class OtherConfigurationText {

    private OtherConfigurationText() {}

    static String none(NodeId self) {
        return "Node '%s' no longer sees another configuration of its cell".formatted(self);
    }

    static String sealed(NodeId self, Event.OtherConfiguration sealed) {
        return "node '%s' stays silent, as node '%s' knows other members to be sealed in the place of its own: %s. Configure the same on every node, and restart this one"
                .formatted(self, sealed.node(), sealed.difference());
    }

    /** @param others a sentence on each that was seen */
    static String seen(NodeId self, boolean silent, boolean serving, List<String> others) {
        String state = silent ? "is silent beside another configuration" : serving ? "serves on" : "starts";
        return "node '%s' %s: %s. Configure the same on every node: finish the change, or undo it"
                .formatted(self, state, String.join("; ", others));
    }

    static String refusing(Event.OtherConfiguration other) {
        return "it does not take node '%s', for %s".formatted(other.node(), other.difference());
    }

    static String couldGrant(Event.OtherConfiguration other, List<NodeId> strangers) {
        return "%s, and %s, which are not known to run this one, could be a majority of the other"
                .formatted(other.difference(), strangers);
    }

    static String hasGranted(Event.OtherConfiguration other) {
        return "%s, and what was granted there may not be over".formatted(other.difference());
    }
}
