package io.paxoslease.spring.shards;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a singleton bean that is called after the work of the {@link OnShard} methods on a shard has ended, before this instance releases the
 * shard. Its parameter is the {@link io.paxoslease.shards.Shard}, which this instance may have lost already; it returns nothing.
 *
 * <p>Called on the thread of the shard, in the reverse order of the beans, also after an {@link OnShardGranted} method has failed. If it throws, the failure is
 * logged.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnShardRevoked {

    /** The name of the group, which {@code paxoslease.shards.<group>.count} defines. Placeholders and expressions are resolved. */
    String value();
}
