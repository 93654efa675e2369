/** The console: places orders in a database, kills, stops and pauses the instances that ship them, and counts the shipments. */
@NullMarked
package io.paxoslease.samples.shards;

import org.jspecify.annotations.NullMarked;
