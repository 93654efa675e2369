/** Tables, plots and the files they are made from. */
@NullMarked
package io.paxoslease.rivals.report;

import org.jspecify.annotations.NullMarked;
