/** Checks of what several threads touch, and of recorded runs of whole nodes. */
@NullMarked
package io.paxoslease.shell;

import org.jspecify.annotations.NullMarked;
