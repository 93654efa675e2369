/** Work spread over the instances in Spring: groups of shards from properties, and annotated methods that work on shards. */
@NullMarked
package io.paxoslease.spring.shards;

import org.jspecify.annotations.NullMarked;
