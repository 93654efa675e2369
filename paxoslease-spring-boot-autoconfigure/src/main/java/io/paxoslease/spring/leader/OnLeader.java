package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Work for the leader only. The roles that beans name are stood for from the start of the application to its end; nothing
 * else has to be declared.
 *
 * <p><b>On a method</b> of a bean: it runs on the leader. On every other node a call returns at once and does nothing, or
 * fails, see {@link #otherwise()}.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
 * &#064;OnLeader
 * void sendReminders() { ... }
 * </pre>
 *
 * <p><b>On the class</b> of a bean: the same for every method that is not private or static, except for those of
 * {@code Object}, lifecycle callbacks, and listeners of leader events. An annotation on a method wins.
 *
 * <p><b>On the class of a {@link org.springframework.context.Lifecycle} bean, or on its {@code @Bean} method</b>: the bean is
 * started when this node becomes the leader, and stopped before another one can be. The container does not start it. When
 * its {@code start()} throws, leadership is given up and sought again after a growing pause. Its other methods are not
 * guarded.
 *
 * <p>Each guarded call makes one local check, which compares the leadership's deadline with the clock. Inside,
 * {@link io.paxoslease.election.Leadership#current()} tells the role, the time left, and the fencing token, which goes with every
 * effect that must not meet the next leader's. When leadership ends during the call, its thread is interrupted once, see
 * {@link #interrupt()}; the flag is cleared before the thread leaves the call. A leadership that is given up is released
 * only after the calls have ended, or after the shutdown timeout; one that is lost cannot wait for them: that a call
 * finished all the same is counted and logged.
 *
 * <p>What a skipped call returns depends on the return type:
 *
 * <ul>
 *   <li>void: nothing; {@code Optional}, {@code OptionalInt} and the like: empty
 *   <li>{@code Future}, {@code CompletionStage}, {@code CompletableFuture}: completed with null
 *   <li>{@code Mono}, {@code Flux}, {@code Publisher} and other reactive types that can be empty: empty. The check is
 *       made when the method is called, not at subscription; what runs after the method has returned is not guarded
 *   <li>every other reference: null
 * </ul>
 *
 * <p>What cannot be guarded is refused at start-up with {@link OnLeaderUsageException}: private, static and final
 * methods, methods of a final class, primitive return types unless the call is to fail, and methods that the container
 * itself calls on every node. As with every annotation of this kind, a call from within the same object
 * ({@code this.sendReminders()}) does not pass the check.
 *
 * <p>It can be put on an annotation of your own, which then means the same.
 */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface OnLeader {

    /** The default of {@link #role()}. */
    String DEFAULT_ROLE = "leader";

    /** What a call does on a node that does not lead. */
    enum Otherwise {
        /** It returns at once, with a value that means nothing. */
        SKIP,
        /** It throws {@link io.paxoslease.election.NotLeaderException}. */
        FAIL
    }

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default DEFAULT_ROLE;

    /**
     * The name of the role: every role has one leader in the cell, and different roles may have different ones.
     * Placeholders such as {@code ${app.tenant}} are resolved.
     */
    @AliasFor("value")
    String role() default DEFAULT_ROLE;

    /** What a call does on a node that does not lead. */
    Otherwise otherwise() default Otherwise.SKIP;

    /** Whether a call's thread is interrupted when leadership ends during the call. */
    boolean interrupt() default true;
}
