/** The console: starts three instances of the application, shows what they do, and stops or kills their leader. */
@NullMarked
package io.paxoslease.samples.cluster;

import org.jspecify.annotations.NullMarked;
