/** The same workloads for PaxosLease and for what else gives a Java application locks. */
@NullMarked
package io.paxoslease.rivals;

import org.jspecify.annotations.NullMarked;
