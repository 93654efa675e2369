package io.paxoslease.spring.shards;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a singleton bean that is called after this instance was granted a shard of the group, before the {@link OnShard} methods. Its parameter is
 * the {@link io.paxoslease.shards.Shard}; it returns nothing.
 *
 * <p>Called on the thread of the shard, in the order of the beans. If it throws, the work on the shard has failed: the shard is revoked in this application, and
 * granted again after a second, then two, and so on up to a minute.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnShardGranted {

    /** The name of the group, which {@code paxoslease.shards.<group>.count} defines. Placeholders and expressions are resolved. */
    String value();
}
