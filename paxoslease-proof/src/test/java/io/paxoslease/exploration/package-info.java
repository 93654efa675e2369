/**
 * Small worlds of production nodes: whole numbers of time units, every message in hand. {@code Explorer} visits all that
 * can happen within bounds, {@code Walk} what chance picks, {@code Mutants} shows that both find what is wrong.
 */
@NullMarked
package io.paxoslease.exploration;

import org.jspecify.annotations.NullMarked;
