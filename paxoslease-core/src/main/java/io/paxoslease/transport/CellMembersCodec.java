package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.Generation;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How a member tells who the members are, in bytes. A client that asks: their addresses, in the order in which a generation names them, and
 * the member's own introduction. Every node, of a change: the generation that it leads to, and the addresses.
 */
final class CellMembersCodec {

    private CellMembersCodec() {}

    static void write(ByteBuf out, CellMembers members) {
        writeAddresses(out, members.teller().config().generation().everyone(), members.addresses());
        HelloCodec.write(out, members.teller());
    }

    static CellMembers read(ByteBuf in, Versions ours) {
        List<InetSocketAddress> addresses = readAddresses(in);
        Hello teller = HelloCodec.read(in, ours);
        List<NodeId> ids = teller.config().generation().everyone();
        if (teller.role() != Hello.Role.MEMBER || !ids.contains(teller.from())) {
            throw new MalformedFrameException("only a member tells who the members are");
        }
        return new CellMembers(teller, byId(ids, addresses));
    }

    static void writeComing(ByteBuf out, ComingMembers coming) {
        GenerationCodec.write(out, coming.generation());
        writeAddresses(out, coming.generation().everyone(), coming.addresses());
    }

    static ComingMembers readComing(ByteBuf in) {
        Generation generation = GenerationCodec.read(in);
        if (generation.previous() == null) {
            throw new MalformedFrameException("a generation that follows none is not coming");
        }
        List<InetSocketAddress> addresses = readAddresses(in);
        if (in.isReadable()) {
            throw new MalformedFrameException("a change of the members goes on after its last field");
        }
        return new ComingMembers(generation, byId(generation.everyone(), addresses));
    }

    private static void writeAddresses(ByteBuf out, List<NodeId> ids, Map<NodeId, InetSocketAddress> addresses) {
        out.writeByte(ids.size());
        for (NodeId id : ids) {
            InetSocketAddress address = addresses.get(id);
            Wire.writeText(out, address == null ? "" : address.getHostString());
            out.writeShort(address == null ? 0 : address.getPort());
        }
    }

    private static List<InetSocketAddress> readAddresses(ByteBuf in) {
        int count = Wire.readUnsignedByte(in);
        return Wire.readList(in, count, GenerationCodec.MAX_MEMBERS, "addresses", CellMembersCodec::readAddress);
    }

    private static Map<NodeId, InetSocketAddress> byId(List<NodeId> ids, List<InetSocketAddress> addresses) {
        if (ids.size() != addresses.size()) {
            throw new MalformedFrameException("%d addresses of %d members".formatted(addresses.size(), ids.size()));
        }
        Map<NodeId, InetSocketAddress> byId = new LinkedHashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            byId.put(ids.get(i), addresses.get(i));
        }
        return byId;
    }

    private static InetSocketAddress readAddress(ByteBuf in) {
        String host = Wire.readText(in);
        int port = Wire.readUnsignedShort(in);
        boolean isHost = !host.isEmpty()
                && host.codePoints().allMatch(each -> Printable.is(each) && !Character.isSpaceChar(each));
        if (!isHost || port == 0) {
            throw new MalformedFrameException("not an address of a member");
        }
        return InetSocketAddress.createUnresolved(host, port);
    }
}
