/** Work that is spread over the instances of an application, by PaxosLease and by products that place data or work. */
@NullMarked
package io.paxoslease.rivals.shards;

import org.jspecify.annotations.NullMarked;
