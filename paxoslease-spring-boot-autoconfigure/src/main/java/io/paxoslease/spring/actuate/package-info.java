/** Endpoint, health, info, metrics and observations of a node. Needs {@code spring-boot-actuator}. */
@NullMarked
package io.paxoslease.spring.actuate;

import org.jspecify.annotations.NullMarked;
