/** Starts the servers that contenders need, on loopback, with nothing kept on disk. */
@NullMarked
package io.paxoslease.rivals.backends;

import org.jspecify.annotations.NullMarked;
