/** What an application needs for cells that run Flease. */
@NullMarked
package io.paxoslease.flease;

import org.jspecify.annotations.NullMarked;
