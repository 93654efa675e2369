@NullMarked
package io.paxoslease.testcontainers;

import org.jspecify.annotations.NullMarked;
