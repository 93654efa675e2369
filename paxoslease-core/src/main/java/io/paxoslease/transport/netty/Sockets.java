package io.paxoslease.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.paxoslease.protocol.Printable;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Which sockets Netty makes here: Linux' own where its native library is there and loads, which saves 5 to 20 % of the
 * processor time of a round trip, else those of the JDK. From Java 24 on it is loaded only where the application was started with
 * {@code --enable-native-access}. Netty's property {@code io.netty.transport.noNative} turns to the JDK's.
 *
 * @param name for people
 */
record Sockets(
        String name,
        IoHandlerFactory handler,
        Class<? extends ServerSocketChannel> server,
        Class<? extends SocketChannel> client) {

    private static final Pattern SYSTEM_CALL = Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-?\\d+\\): ");

    static final Sockets OF_THE_JDK =
            new Sockets("nio", NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);

    /** Of an IPv6 address. */
    private static final int NETWORK_BYTES = 8;

    /** From this version on Java complains, on the console, of native libraries that it was not told to expect. */
    private static final int COMPLAINS_SINCE = 24;

    /** The fastest that this machine has. */
    static final Sockets BEST = mayLoadNatives() && Epoll.isAvailable()
            ? new Sockets(
                    "epoll", EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class)
            : OF_THE_JDK;

    /** Whether a native library loads without a complaint: nobody shall see one for the sake of speed. */
    static boolean mayLoadNatives() {
        if (Runtime.version().feature() < COMPLAINS_SINCE) {
            return true;
        }
        try {
            Object enabled = Module.class.getMethod("isNativeAccessEnabled").invoke(Epoll.class.getModule());
            return Boolean.TRUE.equals(enabled);
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** Linux' own sockets say which system call failed, and its number: what happened comes after that. */
    static String withoutCall(String message) {
        return SYSTEM_CALL.matcher(message).replaceFirst("");
    }

    /** One event loop, on a daemon thread of that name. */
    MultiThreadIoEventLoopGroup newLoop(String thread) {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(thread, true), handler);
    }

    /** The other end, without its port. */
    static String host(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? address.getAddress().getHostAddress()
                : String.valueOf(channel.remoteAddress());
    }

    /** Who the other end is where connections are counted: its address, or with IPv6 the network, which has more addresses than can be counted. */
    static String source(Channel channel) {
        if (channel.remoteAddress() instanceof InetSocketAddress remote
                && remote.getAddress() instanceof Inet6Address address) {
            byte[] bytes = address.getAddress();
            Arrays.fill(bytes, NETWORK_BYTES, bytes.length, (byte) 0);
            try {
                return InetAddress.getByAddress(bytes).getHostAddress() + "/64";
            } catch (UnknownHostException sixteenBytesAreAnAddress) {
                throw new IllegalStateException(sixteenBytesAreAnAddress);
            }
        }
        return host(channel);
    }

    /** Where the other end is, in one form for all kinds of channels. */
    static String address(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? Printable.address(host(channel), address.getPort())
                : host(channel);
    }
}
