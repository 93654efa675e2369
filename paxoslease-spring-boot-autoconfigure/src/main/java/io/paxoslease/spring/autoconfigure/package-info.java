/** Auto-configuration: one class per optional partner, each of which backs off when the partner is absent. */
@NullMarked
package io.paxoslease.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
