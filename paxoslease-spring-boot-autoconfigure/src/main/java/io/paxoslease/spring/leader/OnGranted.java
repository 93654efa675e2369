package io.paxoslease.spring.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a bean that is called when this node has become the leader of a role, after the {@link OnLeader}
 * lifecycle beans have started. Its parameter is the {@link io.paxoslease.election.Leadership}, the
 * {@link LeadershipGrantedEvent}, or none. The application contests the role, as with {@link OnLeader}.
 *
 * <pre class="code">
 * &#064;OnGranted("billing")
 * void warmUp(Leadership leadership) { ... }
 * </pre>
 *
 * <p>Called on the election's thread. A slow method delays neither the renewal of the lease nor the interrupt of
 * guarded calls if leadership ends meanwhile. It delays the listeners after it, and the announcement that leadership
 * has ended. If it throws, the failure is logged and leadership stays.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@EventListener(LeadershipGrantedEvent.class)
public @interface OnGranted {

    /** Alias of {@link #role()}. */
    @AliasFor("role")
    String value() default OnLeader.DEFAULT_ROLE;

    /** The name of the role. Placeholders and expressions are resolved as in {@link OnLeader#role()}. */
    @AliasFor("value")
    String role() default OnLeader.DEFAULT_ROLE;
}
