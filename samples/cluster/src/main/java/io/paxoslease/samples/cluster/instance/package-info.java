/** The application: a job of the leader's, and a counter in a file that a distributed lock guards. */
@NullMarked
package io.paxoslease.samples.cluster.instance;

import org.jspecify.annotations.NullMarked;
