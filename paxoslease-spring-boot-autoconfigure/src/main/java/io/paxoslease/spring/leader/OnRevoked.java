package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a bean that is called when this node no longer leads a role, after the {@link OnLeader} lifecycle beans
 * have stopped. Its parameter is the {@link io.paxoslease.election.Leadership}, the {@link LeadershipRevokedEvent}, or none. The
 * application contests the role, as with {@link OnLeader}.
 *
 * <pre class="code">
 * &#064;OnRevoked("billing")
 * void flush(Leadership leadership) { ... }
 * </pre>
 *
 * <p>Called on the election's thread. After a resignation, no other node leads before the listeners have returned, or
 * the shutdown timeout is over. Called only if the grant of the same leadership was announced. If it throws, the
 * failure is logged and has no other effect.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@EventListener(LeadershipRevokedEvent.class)
public @interface OnRevoked {

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default OnLeader.DEFAULT_ROLE;

    /** The name of the role. Placeholders and expressions are resolved as in {@link OnLeader#role()}. */
    @AliasFor("value")
    String role() default OnLeader.DEFAULT_ROLE;
}
