/** The application: ships the orders of its shards. */
@NullMarked
package io.paxoslease.samples.shards.instance;

import org.jspecify.annotations.NullMarked;
