package io.paxoslease.spring.leader;

import java.time.Duration;

/**
 * The health that a role requires of its leader.
 *
 * @param group name of the health group
 * @param timeout how long the group may stay down before this node gives the role up; positive
 */
record RequiredHealth(String group, Duration timeout) {}
