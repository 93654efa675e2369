package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.EmbeddedValues;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * A method with an annotation of this package: refuses it where it could not work on shards.
 *
 * @param annotation one of the three
 * @param method of the target class
 * @param type the class of the bean, below any proxy
 */
record ShardMethodRules(Annotation annotation, Method method, Class<?> type) {

    /** @throws AnnotationUsageException if there may be no bean with the method, or several */
    void checkScope(String beanName, ConfigurableListableBeanFactory beans) {
        boolean isSingleton = !beans.containsBeanDefinition(beanName)
                || beans.getMergedBeanDefinition(beanName).isSingleton();
        if (!isSingleton) {
            throw misuse(
                    "belongs to the bean '%s', which is not a singleton.".formatted(Printable.name(beanName)),
                    "Make the bean a singleton. For one object for each shard, write a ShardComponentFactory.");
        }
    }

    /**
     * The method as it is called on the bean.
     *
     * @throws AnnotationUsageException if it cannot be called, or would not do its work in the call
     */
    ShardMethod on(Object bean) {
        checkModifiers();
        checkSignature();
        if (AopUtils.isCglibProxy(bean)) {
            checkProxy();
        }
        try {
            return new ShardMethod(bean, AopUtils.selectInvocableMethod(method, bean.getClass()));
        } catch (IllegalStateException notInInterface) {
            throw misuse(
                    "is in no interface of its bean, whose proxy has only the methods of interfaces.",
                    "Declare the method in an interface of the bean, or let Spring proxy the class, with"
                            + " spring.aop.proxy-target-class=true.");
        }
    }

    private void checkModifiers() {
        if (Modifier.isStatic(method.getModifiers())) {
            throw misuse("is static.", "Make it an instance method.");
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            throw misuse(
                    "is private, and a proxy of its bean cannot pass calls on.",
                    "Make it public, protected or package-private.");
        }
    }

    private void checkSignature() {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length != 1 || parameters[0] != Shard.class) {
            throw misuse(
                    "must have one parameter, the shard.",
                    "Write void %s(io.paxoslease.shards.Shard shard)".formatted(Printable.name(method.getName()))
                            + (annotation instanceof OnShard
                                    ? "; for one query for all shards that this instance owns, use @Scheduled and"
                                            + " ShardGroups.get(...).ownedIndexes()."
                                    : "."));
        }
        if (method.getReturnType() != void.class) {
            throw misuse(
                    "returns %s, and the shard may be released before work that the call has started elsewhere has ended."
                            .formatted(Printable.name(method.getReturnType().getSimpleName())),
                    "Return void, when all work of the call has ended.");
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
            throw misuse(
                    "is @Async, and the shard may be released while it still runs on another thread.",
                    "Remove @Async: each shard has a thread of its own for the method.");
        }
    }

    private void checkProxy() {
        if (Modifier.isFinal(method.getModifiers())) {
            throw misuse(
                    "is final, so a call reaches the proxy of its bean instead of the bean.",
                    "Remove 'final' (in Kotlin: add 'open').");
        }
        ProxiedMethods.Problem problem = ProxiedMethods.problemOf(method, type);
        if (problem != null) {
            throw misuse(problem.problem(), problem.action());
        }
    }

    /** The name of the group, without placeholders. */
    String group(EmbeddedValues values) {
        String text = annotation instanceof OnShard work
                ? work.value()
                : annotation instanceof OnShardGranted granted
                        ? granted.value()
                        : ((OnShardRevoked) annotation).value();
        String group = resolve("the group", text, values);
        if (group.isBlank()) {
            throw misuse("names an empty group.", "Name a group of paxoslease.shards.");
        }
        return group;
    }

    /** The time between two calls; null if there is one call only. */
    @Nullable
    Duration delay(OnShard work, EmbeddedValues values) {
        if (work.fixedDelay().isEmpty()) {
            return null;
        }
        String text = resolve("the delay", work.fixedDelay(), values);
        Duration delay;
        try {
            delay = DurationStyle.detectAndParse(text.strip());
        } catch (IllegalArgumentException e) {
            throw misuse(
                    "has the fixedDelay '%s', which is no duration.".formatted(Printable.name(text)),
                    "Write a number and a unit, as in 500ms, 10s or 5m.");
        }
        if (delay.isNegative() || delay.isZero()) {
            throw misuse(
                    "has the fixedDelay '%s', which is not positive.".formatted(Printable.name(text)),
                    "Write a longer one; or leave fixedDelay out, and loop in the method until its thread is interrupted.");
        }
        return delay;
    }

    private String resolve(String what, String text, EmbeddedValues values) {
        try {
            return values.apply(text);
        } catch (IllegalArgumentException unknown) {
            AnnotationUsageException misuse = misuse(
                    "has %s '%s', which cannot be resolved: %s."
                            .formatted(what, Printable.name(text), Printable.text(unknown.getMessage())),
                    "Set the property, or give it a default value, as in ${app.group:invoices}.");
            misuse.initCause(unknown);
            throw misuse;
        }
    }

    private String name() {
        return "@" + annotation.annotationType().getSimpleName();
    }

    private AnnotationUsageException misuse(String problem, String action) {
        return AnnotationUsageException.of(name(), method, problem, action);
    }

    /** Begins a sentence about the method. */
    @Override
    public String toString() {
        return "The %s method %s.%s()"
                .formatted(name(), Printable.name(type.getName()), Printable.name(method.getName()));
    }
}
