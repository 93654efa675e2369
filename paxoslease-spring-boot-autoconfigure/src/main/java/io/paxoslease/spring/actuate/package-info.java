/** What Spring Boot's actuator shows of a node. Needs {@code spring-boot-actuator}. */
@NullMarked
package io.paxoslease.spring.actuate;

import org.jspecify.annotations.NullMarked;
