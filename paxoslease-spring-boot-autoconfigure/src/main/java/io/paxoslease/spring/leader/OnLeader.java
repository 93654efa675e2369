package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a Spring bean that runs on the leader only. On every other node a call returns at once and does nothing.
 * The bean's roles are stood for from the start of the application to its end; nothing else has to be declared.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
 * &#064;OnLeader
 * void sendReminders() { ... }
 * </pre>
 *
 * <p>Each call makes one local check, which compares the leadership's deadline with the clock. A call that has begun is
 * not checked again: code whose effects must not overlap with the next leader's passes the
 * {@linkplain io.paxoslease.Leadership#fencingToken() fencing token} on, see {@link LeaderElections#leadership(String)}.
 *
 * <p>What a skipped call returns depends on the return type:
 *
 * <ul>
 *   <li>void: nothing; {@code Optional}, {@code OptionalInt} and the like: empty
 *   <li>{@code Future}, {@code CompletionStage}, {@code CompletableFuture}: completed with null
 *   <li>{@code Mono}, {@code Flux}, {@code Publisher} and other reactive types that can be empty: empty. The check is
 *       made when the method is called, not at subscription
 *   <li>every other reference: null
 * </ul>
 *
 * <p>What cannot be guarded is refused at start-up with {@link OnLeaderUsageException}: private, static and final
 * methods, methods of a final class, primitive return types, and methods that the container itself calls on every node.
 * As with every annotation of this kind, a call from within the same object ({@code this.sendReminders()}) does not pass
 * the check.
 *
 * <p>It can be put on an annotation of your own, which then means the same.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OnLeader {

    /** The default of {@link #role()}. */
    String DEFAULT_ROLE = "leader";

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default DEFAULT_ROLE;

    /**
     * The name of the role: every role has one leader in the cell, and different roles may have different ones.
     * Placeholders such as {@code ${app.tenant}} are resolved.
     */
    @AliasFor("value")
    String role() default DEFAULT_ROLE;
}
