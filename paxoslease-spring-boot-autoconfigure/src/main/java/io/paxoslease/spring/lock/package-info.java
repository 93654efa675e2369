/**
 * {@link io.paxoslease.spring.lock.Locked} methods, and Spring Integration's
 * {@link org.springframework.integration.support.locks.LockRegistry} on PaxosLease, which needs {@code spring-integration-core}.
 */
@NullMarked
package io.paxoslease.spring.lock;

import org.jspecify.annotations.NullMarked;
