/** A store of the members of a cell in a Kubernetes config map; members as text. */
@NullMarked
package io.paxoslease.spring.membership;

import org.jspecify.annotations.NullMarked;
