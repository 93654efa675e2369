/** Distributed locks: between the threads of a node by a mutex, between nodes by a lease. */
@NullMarked
package io.paxoslease.locks;

import org.jspecify.annotations.NullMarked;
