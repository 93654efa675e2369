/** The console: starts three instances and a database, stops the leader before it writes, and tells what comes of it. */
@NullMarked
package io.paxoslease.samples.fencing;

import org.jspecify.annotations.NullMarked;
