/** What the proxies of {@code @OnLeader} and {@code @Locked} have in common. Not made for applications. */
@NullMarked
package io.paxoslease.spring.proxy;

import org.jspecify.annotations.NullMarked;
