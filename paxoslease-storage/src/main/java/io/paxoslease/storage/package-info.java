/** What an application needs for leases in shared storage. */
@NullMarked
package io.paxoslease.storage;

import org.jspecify.annotations.NullMarked;
