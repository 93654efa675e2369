/** One job that only the leading pod does. */
@NullMarked
package io.paxoslease.samples.kubernetes;

import org.jspecify.annotations.NullMarked;
