/** What the containers carry beside the application: it writes down when the instance led, and what it did meanwhile. */
@NullMarked
package io.paxoslease.clusters.witness;

import org.jspecify.annotations.NullMarked;
