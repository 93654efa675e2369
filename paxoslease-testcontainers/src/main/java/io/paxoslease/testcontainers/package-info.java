/** A cell in a container, for tests. */
@NullMarked
package io.paxoslease.testcontainers;

import org.jspecify.annotations.NullMarked;
