package io.paxoslease.spring.lock;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * A method of a bean that runs under a distributed lock: of all calls with one key, one runs at a time in the whole cell.
 *
 * <pre class="code">
 * &#064;Locked(name = "orders", key = "#order.id", waitFor = "2s")
 * void ship(Order order) {
 *     store.write(order, LockedCall.current().fencingToken());
 * }
 * </pre>
 *
 * <p>The lock is {@code name:key}, or the one of them that is given: the same lock as that of
 * {@link PaxosLeaseLockRegistry#obtain(Object)} with this text. In front of a colon or a backslash of a name that has a key there is a backslash,
 * so that no other name and key are this lock: {@link io.paxoslease.locks.LeaseLocks#key} writes it. It is reentrant, renewed while the method runs, and released when the method
 * has returned or thrown. A transaction of the method begins after the lock is held, and is completed before it is released. Inside a
 * transaction of the caller the lock is kept until that transaction has completed; if the lease is lost before its commit, it is rolled back.
 *
 * <p>If the lease is lost while the method runs, the call throws {@link io.paxoslease.LeaseLostException} when the method
 * returns: its work may have overlapped another holder's. If the method throws, its exception stays, and the other one is added to it as
 * suppressed. Inside, {@link LockedCall#current()} has the fencing token, and can tell of a loss.
 *
 * <p>Refused at start-up with {@link AnnotationUsageException}: methods that no proxy can intercept (private, static, final, of a final class),
 * {@code @Bean} methods and lifecycle callbacks, futures and reactive types, which go on after the method has returned, an expression
 * that cannot be read or names no parameter, and primitive return types with {@link Otherwise#SKIP}. A call from within the same object
 * ({@code this.ship(order)}) does not take the lock.
 *
 * <p>It can be used as a meta-annotation.
 */
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface Locked {

    /** What a call does that is not granted the lock in time. */
    enum Otherwise {
        /** It returns without effect, with an empty value: null, or an empty collection or {@code Optional}. */
        SKIP,
        /** It throws {@link LockUnavailableException}. */
        THROW
    }

    /** Alias of {@link #name()}. */
    @AliasFor("name")
    String value() default "";

    /**
     * The lock, or the part of its key in front of {@link #key()}. Placeholders such as {@code ${app.tenant}} and expressions such as
     * {@code #{@tenant.name}} are resolved once, at the start. Expressions that name an argument, as in {@code report-#{#region}}, are evaluated
     * for each call; their values are as for {@link #key()}.
     */
    @AliasFor("value")
    String name() default "";

    /**
     * A Spring expression for the part of the key that depends on the arguments: {@code #order.id}, {@code #a0}, {@code @bean.method(#x)}. Its
     * value is a simple one (text, number, enum constant, UUID), and neither null nor empty.
     */
    String key() default "";

    /**
     * The longest wait for the lock, such as {@code 2s} or {@code ${app.wait}}; {@code 0s} tries once. If it is left out, a call with
     * {@link Otherwise#SKIP} tries once, and one with {@link Otherwise#THROW} waits as {@code lock()} does, for at most
     * {@code paxoslease.locks.wait-timeout}.
     */
    String waitFor() default "";

    /** What a call does that is not granted the lock in time. */
    Otherwise otherwise() default Otherwise.THROW;

    /**
     * How many calls with one key may run at a time in the whole cell: with more than one, each call holds a permit of a
     * {@link io.paxoslease.locks.LeaseSemaphore}, and is not reentrant.
     */
    int permits() default 1;
}
