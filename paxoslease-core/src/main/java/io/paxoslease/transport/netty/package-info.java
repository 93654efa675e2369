/** Internal: the transport over TCP, with Netty. */
@NullMarked
package io.paxoslease.transport.netty;

import org.jspecify.annotations.NullMarked;
