/** The products, one class each. */
@NullMarked
package io.paxoslease.rivals.contenders;

import org.jspecify.annotations.NullMarked;
