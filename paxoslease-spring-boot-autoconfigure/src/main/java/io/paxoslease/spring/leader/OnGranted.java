package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a bean that is called when this node has become the leader of a role: after the beans that {@link OnLeader} starts have been started. It takes nothing, the {@link io.paxoslease.election.Leadership}, or the
 * {@link LeadershipGrantedEvent}. The role is stood for, as those of {@link OnLeader} are.
 *
 * <pre class="code">
 * &#064;OnGranted("billing")
 * void warmUp(Leadership leadership) { ... }
 * </pre>
 *
 * <p>Called on the election's thread. It may take its time: it delays neither the renewal of the lease nor, when leadership ends meanwhile, the interrupt of
 * what runs on the leader; but it delays the listeners after it, and the announcement that leadership has ended. What it throws is logged and changes nothing.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@EventListener(LeadershipGrantedEvent.class)
public @interface OnGranted {

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default OnLeader.DEFAULT_ROLE;

    /** The name of the role. Placeholders such as {@code ${app.tenant}} are resolved. */
    @AliasFor("value")
    String role() default OnLeader.DEFAULT_ROLE;
}
