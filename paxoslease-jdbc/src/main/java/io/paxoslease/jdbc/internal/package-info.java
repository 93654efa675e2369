/** What every table of this library has in common. Internal. */
@NullMarked
package io.paxoslease.jdbc.internal;

import org.jspecify.annotations.NullMarked;
