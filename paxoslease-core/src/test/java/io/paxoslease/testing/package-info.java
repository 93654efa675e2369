/** What tests of several packages share. */
@NullMarked
package io.paxoslease.testing;

import org.jspecify.annotations.NullMarked;
