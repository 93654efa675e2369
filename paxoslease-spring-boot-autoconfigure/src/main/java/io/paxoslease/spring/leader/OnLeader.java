package io.paxoslease.spring.leader;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * Work for the leader only. The application contests the roles that its beans name from its start to its end; no other
 * declaration is necessary.
 *
 * <p><b>On a method</b> of a bean: it runs on the leader. On every other node a call returns at once without effect, or
 * fails, see {@link #otherwise()}.
 *
 * <pre class="code">
 * &#064;Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
 * &#064;OnLeader
 * void sendReminders() { ... }
 * </pre>
 *
 * <p><b>On the class</b> of a bean: the same for every method that is not private or static, except the methods of
 * {@code Object}, lifecycle callbacks, and listeners of leader events. An annotation on a method overrides it.
 *
 * <p><b>On the class of a {@link org.springframework.context.Lifecycle} bean, or on its {@code @Bean} method</b>: the
 * bean is started when this node becomes the leader, and stopped before another node can lead. The container does not
 * start it. If its {@code start()} throws, the node resigns and contests the role again after a growing pause. Its
 * other methods are not guarded.
 *
 * <p>Each guarded call makes one local check, which compares the leadership's deadline with the clock. Inside,
 * {@link io.paxoslease.election.Leadership#current()} has the role, the time left, and the fencing token: send the token with
 * every effect that must not overlap the next leader's. When leadership ends during the call, its thread is interrupted
 * once, see {@link #interrupt()}; the flag is cleared before the thread leaves the call. After a resignation the lease
 * is released only when the calls have ended, or after the shutdown timeout. A lost lease cannot wait for them: a call
 * that finishes after its lease is counted and logged.
 *
 * <p>What a skipped call returns depends on the return type:
 *
 * <ul>
 *   <li>void: nothing; {@code Optional}, {@code OptionalInt} and the like, {@code Collection}, {@code List}, {@code Set},
 *       {@code Map}, {@code Stream}: empty
 *   <li>{@code Future}, {@code CompletionStage}, {@code CompletableFuture}: completed with null. On the leader a
 *       {@code CompletableFuture} that is not complete when leadership ends is cancelled, and the caller's fails with
 *       {@link io.paxoslease.election.NotLeaderException}
 *   <li>{@code Mono}, {@code Flux}, {@code Publisher} and other reactive types that can be empty: the check is made at each
 *       subscription, which calls the method on the leader, and is empty elsewhere. When leadership ends, the subscription is
 *       cancelled, and fails with {@code NotLeaderException}
 *   <li>every other reference: null
 * </ul>
 *
 * <p>On a {@code @KafkaListener}, {@code @RabbitListener} or {@code @JmsListener} method with an {@code id}, the listener's container is started
 * and stopped with the role. A call that comes all the same on a node that does not lead throws
 * {@link io.paxoslease.election.NotLeaderException}, so that the broker delivers the message again.
 *
 * <p>A method that cannot be guarded is refused at start-up with {@link AnnotationUsageException}: private, static and
 * final methods, methods of a final class, primitive return types and other methods that take messages unless calls fail, and
 * methods that the container itself calls on every node. As with every proxy-based annotation, a call from within the same object
 * ({@code this.sendReminders()}) does not pass the check.
 *
 * <p>It can be used as a meta-annotation.
 */
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Reflective(OnLeaderReflection.class)
public @interface OnLeader {

    /** The default of {@link #role()}. */
    String DEFAULT_ROLE = "leader";

    /** What a call does on a node that does not lead. */
    enum Otherwise {
        /** It returns at once, with an empty value. */
        SKIP,
        /** It throws {@link io.paxoslease.election.NotLeaderException}. */
        FAIL
    }

    /** What becomes of a scheduled run for which there was no leader, or whose leader crashed. */
    enum Missed {
        /** It is lost; the next one is made when it is due. */
        IGNORE,
        /**
         * The next leader makes it: the latest slot of the method's cron expression that no leader has finished, as soon as it is
         * elected. Earlier ones are lost. See {@link io.paxoslease.spring.runs.RunLog} for who remembers what is finished.
         */
        RUN_ON_GRANT
    }

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default DEFAULT_ROLE;

    /**
     * The name of the role: every role has one leader in the cell, and different roles may have different ones.
     * Placeholders such as {@code ${app.tenant}} and expressions such as {@code #{@tenant.name}} are resolved once, at the start.
     */
    @AliasFor("value")
    String role() default DEFAULT_ROLE;

    /** What a call does on a node that does not lead. */
    Otherwise otherwise() default Otherwise.SKIP;

    /**
     * What becomes of a run that was missed. {@link Missed#RUN_ON_GRANT} is for methods with one {@code @Scheduled(cron = "...")}
     * that return void; on a class it applies to such methods only. A slot is finished when the method has returned, or has thrown
     * while its node still led, and is not run again then, also if the application calls the method.
     */
    Missed missed() default Missed.IGNORE;

    /** Whether a call's thread is interrupted when leadership ends during the call. */
    boolean interrupt() default true;
}
