/** What every contender is put through; knows no product. */
@NullMarked
package io.paxoslease.rivals.workloads;

import org.jspecify.annotations.NullMarked;
