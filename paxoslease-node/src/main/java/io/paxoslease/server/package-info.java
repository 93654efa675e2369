/** A process that only votes. */
@org.jspecify.annotations.NullMarked
package io.paxoslease.server;
