package io.paxoslease.transport;

import io.netty.buffer.ByteBuf;
import io.paxoslease.protocol.NodeId;
import io.paxoslease.protocol.Printable;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How a member tells a client who the members are, in bytes: their addresses, in the order of their ids, and its own introduction. */
final class CellMembersCodec {

    private CellMembersCodec() {}

    static void write(ByteBuf out, CellMembers members) {
        List<NodeId> ids = members.teller().config().generation().everyone();
        out.writeByte(ids.size());
        for (NodeId id : ids) {
            InetSocketAddress address = members.addresses().get(id);
            Wire.writeText(out, address == null ? "" : address.getHostString());
            out.writeShort(address == null ? 0 : address.getPort());
        }
        HelloCodec.write(out, members.teller());
    }

    static CellMembers read(ByteBuf in, Versions ours) {
        List<InetSocketAddress> addresses = Wire.readList(
                in, Wire.readUnsignedByte(in), GenerationCodec.MAX_MEMBERS, "addresses", CellMembersCodec::readAddress);
        Hello teller = HelloCodec.read(in, ours);
        List<NodeId> ids = teller.config().generation().everyone();
        if (teller.role() != Hello.Role.MEMBER || !ids.contains(teller.from())) {
            throw new MalformedFrameException("only a member tells who the members are");
        }
        if (ids.size() != addresses.size()) {
            throw new MalformedFrameException("%d addresses of %d members".formatted(addresses.size(), ids.size()));
        }
        Map<NodeId, InetSocketAddress> byId = new LinkedHashMap<>();
        for (int i = 0; i < ids.size(); i++) {
            byId.put(ids.get(i), addresses.get(i));
        }
        return new CellMembers(teller, byId);
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
