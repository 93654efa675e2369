package io.paxoslease.spring.shards;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;

/**
 * A method of a singleton bean that works on each shard of a group that this instance owns. It has one parameter, the
 * {@link io.paxoslease.shards.Shard}, and returns nothing. Each shard has a thread of its own for it, a virtual one where
 * {@code spring.threads.virtual.enabled} applies; the thread is interrupted when the work on the shard must end.
 *
 * <pre class="code">
 * &#064;OnShard("invoices")
 * void work(Shard shard) throws InterruptedException {
 *     while (true) {
 *         take(shard.index(), shard.fencingToken());
 *     }
 * }
 *
 * &#064;OnShard(value = "invoices", fixedDelay = "500ms")
 * void poll(Shard shard) { ... }
 * </pre>
 *
 * <p>Without {@link #fixedDelay()}, the method is called once after each grant of a shard. If it throws, the shard stays, and its work starts again
 * after a second, then two, and so on up to a minute. If it returns, the shard stays too, and the method is called again only after the next grant.
 *
 * <p>This instance releases a shard only after the calls for that shard have returned.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective
public @interface OnShard {

    /** The name of the group, which {@code paxoslease.shards.<group>.count} defines. Placeholders and expressions are resolved. */
    String value();

    /**
     * The time from the end of a call to the next call, such as {@code 500ms} or {@code PT0.5S}; milliseconds without a unit. Placeholders and
     * expressions are resolved. A call that throws is logged and counted as a failure; while calls keep failing, the delay doubles up to a minute.
     */
    String fixedDelay() default "";
}
