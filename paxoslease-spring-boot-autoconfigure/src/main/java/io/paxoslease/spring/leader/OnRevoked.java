package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a bean that is called when this node leads a role no more: after the beans that {@link OnLeader} starts have been stopped. It takes nothing, the {@link io.paxoslease.election.Leadership}, or the
 * {@link LeadershipRevokedEvent}. The role is stood for, as those of {@link OnLeader} are.
 *
 * <pre class="code">
 * &#064;OnRevoked("billing")
 * void flush(Leadership leadership) { ... }
 * </pre>
 *
 * <p>Called on the election's thread. When leadership is given up, no other node leads before the listeners have returned, or the shutdown timeout is over. It
 * is called only after an {@link OnGranted} listener of the same leadership could have been. What it throws is logged and changes nothing.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@EventListener(LeadershipRevokedEvent.class)
public @interface OnRevoked {

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default OnLeader.DEFAULT_ROLE;

    /** The name of the role. Placeholders such as {@code ${app.tenant}} are resolved. */
    @AliasFor("value")
    String role() default OnLeader.DEFAULT_ROLE;
}
