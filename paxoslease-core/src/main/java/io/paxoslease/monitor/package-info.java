/**
 * What a node tells of itself: {@link io.paxoslease.monitor.NodeMonitor} with its status, counters and peers, and
 * {@link io.paxoslease.monitor.NodeObserver} for what happens. Values; safe to share between threads.
 */
@NullMarked
package io.paxoslease.monitor;

import org.jspecify.annotations.NullMarked;
