/**
 * Spring Integration's {@link org.springframework.integration.support.locks.LockRegistry} on PaxosLease. Needs
 * {@code spring-integration-core}.
 */
@NullMarked
package io.paxoslease.spring.lock;

import org.jspecify.annotations.NullMarked;
