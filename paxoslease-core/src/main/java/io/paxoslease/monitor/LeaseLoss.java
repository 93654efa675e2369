package io.paxoslease.monitor;

import io.paxoslease.LossReason;
import java.time.Duration;

/**
 * The end of a tenure of this node that was not released.
 *
 * @param reason why it ended
 * @param fencingToken the tenure's token
 * @param ago how long ago this node noticed
 */
public record LeaseLoss(LossReason reason, long fencingToken, Duration ago) {}
