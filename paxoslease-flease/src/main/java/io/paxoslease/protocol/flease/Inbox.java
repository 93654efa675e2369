package io.paxoslease.protocol.flease;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Reading;
import java.util.List;

/** Takes the messages that concern registers, of a node that takes part. */
record Inbox(ProposerContext context, Registers registers, Proposer proposer, Queries queries) {

    void take(NodeId from, FleaseMessage message, Reading now) {
        if (message instanceof FleaseMessage.Request request) {
            serve(from, request, now);
        } else if (message instanceof FleaseMessage.Reply reply) {
            proposer.onReply(from, reply, now);
        } else if (message instanceof FleaseMessage.Freed freed) {
            proposer.onFreed(freed, now);
        } else if (message instanceof FleaseMessage.InUse inUse) {
            proposer.onInUse(inUse, now);
        } else if (message instanceof FleaseMessage.Query query) {
            List<Stored> stored =
                    query.resources().stream().map(registers::stored).toList();
            context.out().send(from, new FleaseMessage.Known(query.id(), stored));
        } else if (message instanceof FleaseMessage.Known known) {
            queries.onKnown(from, known, context.absent());
        }
    }

    private void serve(NodeId from, FleaseMessage.Request request, Reading now) {
        watchClock(from, request.round(), now);
        if (request instanceof FleaseMessage.Read read) {
            context.out().send(from, registers.read(read, now));
            if (read.interest() != FleaseMessage.Interest.NONE
                    && !from.equals(context.life().self())) {
                context.waitList().add(read.resource(), from, read.interest(), now.moment());
                proposer.wanted(read.resource());
            }
        } else if (request instanceof FleaseMessage.Write write) {
            FleaseMessage.Reply answer =
                    registers.write(write, from.equals(context.life().self()), now);
            context.out().send(from, answer);
            Value.Owner owner = write.value().owner();
            if (answer instanceof FleaseMessage.WriteAck && owner != null) {
                context.waitList().remove(write.resource(), owner.node());
            }
        }
    }

    /** A clock within the bound is never ahead by so much. */
    private void watchClock(NodeId from, Round round, Reading now) {
        if (context.bound().isTooFarAhead(round, now)) {
            long slots = Math.min(
                    round.slot() - context.bound().slot(now),
                    Long.MAX_VALUE / context.bound().micros());
            context.out()
                    .emit(new Effect.ClockAhead(from, slots * context.bound().micros()));
        }
    }
}
