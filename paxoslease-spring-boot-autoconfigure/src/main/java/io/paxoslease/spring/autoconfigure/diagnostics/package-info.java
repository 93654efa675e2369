/** Turns this library's start-up failures into a description and an action. */
@NullMarked
package io.paxoslease.spring.autoconfigure.diagnostics;

import org.jspecify.annotations.NullMarked;
