package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.ProxiedMethods;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/** Refuses {@link OnLeader} where a call would reach the method unchecked, or would break the bean. */
final class OnLeaderRules {

    private static final Logger log = LoggerFactory.getLogger(OnLeader.class);

    static final String ON_LEADER = "@OnLeader";

    private OnLeaderRules() {}

    /**
     * Whether the roles have names is not checked: placeholders may be unknown yet.
     *
     * @throws AnnotationUsageException if calls of one of them cannot be guarded, or if the class must not be annotated
     */
    static Map<Method, OnLeader> checked(Class<?> type, Map<Method, OnLeader> guarded) {
        checkClass(type);
        guarded.forEach((method, annotation) -> {
            check(method, type);
            checkMessages(method, annotation);
            RecordedTask.check(method, annotation);
            LeaderGuard.of(method, type, annotation, UnaryOperator.identity());
        });
        checkGuarded(type, guarded.keySet());
        return guarded;
    }

    private static void check(Method method, Class<?> targetClass) {
        checkFactory(method);
        ProxiedMethods.Problem problem = ProxiedMethods.problemOf(method, targetClass);
        if (problem != null) {
            throw misuse(method, problem.problem(), problem.action());
        }
        checkCaller(method, targetClass);
    }

    private static void checkClass(Class<?> type) {
        if (isAnnotated(type) && AnnotatedElementUtils.hasAnnotation(type, Configuration.class)) {
            throw misuse(
                    type,
                    "is a @Configuration class, whose beans a follower needs as well.",
                    "Put @OnLeader on the classes or methods that do the leader's work.");
        }
    }

    private static void checkGuarded(Class<?> type, Set<Method> guarded) {
        if (isAnnotated(type) && guarded.isEmpty()) {
            throw misuse(
                    type,
                    "has no method that can be guarded.",
                    "Methods that are private or static, lifecycle callbacks and listeners of leader events are not guarded."
                            + " Put @OnLeader on the class that does the leader's work.");
        }
    }

    private static boolean isAnnotated(Class<?> type) {
        return !Lifecycle.class.isAssignableFrom(type) && OnLeaderMethods.ofClass(type) != null;
    }

    private static void checkFactory(Method method) {
        if (AnnotatedElementUtils.hasAnnotation(method, Bean.class)) {
            throw misuse(
                    method,
                    "is a @Bean method, and a follower would get no bean from it.",
                    "Put @OnLeader on the bean's class, or on those of its methods that do the leader's work. On a @Bean"
                            + " method it is for beans that are started and stopped: let the method declare a return type"
                            + " that is a Lifecycle.");
        }
    }

    private static void checkCaller(Method method, Class<?> targetClass) {
        if (ProxiedMethods.isContainerCallback(method, targetClass)) {
            throw misuse(
                    method,
                    "is a lifecycle callback, which the container calls on every node and outside of any leadership.",
                    "Move the leader's work to a method of its own, and put @OnLeader there.");
        }
        if (LeaderEvents.isListener(method, targetClass)) {
            throw misuse(
                    method,
                    "is notified of the beginning and the end of leadership, and at the end this node no longer leads.",
                    "Remove @OnLeader: leader events are published only on the node that they are about.");
        }
        if (LeaderEvents.isCalledOnce(method, targetClass)) {
            log.warn(
                    "The @OnLeader method {}.{}() is called once, when the application has started: a node that becomes the"
                            + " leader later never runs it. Use @OnGranted for the first actions of a new leader",
                    targetClass.getName(),
                    method.getName());
        }
    }

    /** The message of a call that is skipped would be taken and lost: the listener must not run, or the call must fail. */
    private static void checkMessages(Method method, OnLeader annotation) {
        List<MessageListeners.Listener> listeners = MessageListeners.of(method);
        for (MessageListeners.Listener listener : listeners) {
            if (listener.id().isBlank()) {
                throw misuse(
                        method,
                        "is a @%s without an id, by which its container would be found."
                                .formatted(listener.annotation()),
                        "Give it one, as @%s(id = \"payments\", ...): the container is then started and stopped with the role."
                                .formatted(listener.annotation()));
            }
        }
        if (!listeners.isEmpty() || annotation.otherwise() == OnLeader.Otherwise.FAIL) {
            return;
        }
        String problem = "is a @%s, and a follower would take messages and drop them.";
        String orFail =
                " Or let calls fail on followers, with otherwise = FAIL, if the sender or the broker then sends the"
                        + " message again.";
        MessageListeners.integrationEndpoint(method).ifPresent(endpoint -> {
            throw misuse(
                    method,
                    problem.formatted(endpoint),
                    ("Remove @OnLeader, and let the endpoint run with the role: put Spring Integration's @Role(\"%s\") on the"
                                            + " method, and autoStartup = \"false\" into @%s.")
                                    .formatted(annotation.role(), endpoint)
                            + orFail);
        });
        MessageListeners.other(method).ifPresent(listener -> {
            throw misuse(
                    method,
                    problem.formatted(listener),
                    "Remove @OnLeader, keep the listener's container from starting by itself, and start and stop it in"
                            + " @OnGranted and @OnRevoked methods."
                            + orFail);
        });
    }

    static AnnotationUsageException noSkippedValue(Method method) {
        Class<?> type = method.getReturnType();
        String wrapper = ClassUtils.resolvePrimitiveIfNecessary(type).getSimpleName();
        return misuse(
                method,
                "returns %s, and no value of that type can mean that the call was skipped."
                        .formatted(type.getTypeName()),
                type.isPrimitive()
                        ? "Return void, or %s, which is null on a follower; or let the call fail there, with otherwise = FAIL."
                                .formatted(wrapper)
                        : "Return CompletableFuture, or a reactive type that can be empty, such as Mono or Flux; or let the"
                                + " call fail on followers, with otherwise = FAIL.");
    }

    /**
     * The role that an annotation names.
     *
     * @param place "method x()" or the like, in messages
     * @throws AnnotationUsageException if they cannot be resolved, or name an empty role
     */
    static String role(String annotation, String place, String text, UnaryOperator<String> values) {
        String begin = "The %s %s ".formatted(annotation, place);
        String role;
        try {
            role = values.apply(text);
        } catch (IllegalArgumentException unknown) {
            AnnotationUsageException misuse = new AnnotationUsageException(
                    begin
                            + "has the role '%s', which cannot be resolved: %s."
                                    .formatted(Printable.name(text), Printable.text(unknown.getMessage())),
                    "Set the property, or give it a default value, as ${app.role:reports}. An expression is evaluated once, at the start,"
                            + " and may name beans and properties, but no argument of a call.");
            misuse.initCause(unknown);
            throw misuse;
        }
        if (role.isBlank()) {
            throw new AnnotationUsageException(
                    begin + "names an empty role.",
                    "Name a role, or leave it out for the role '%s'.".formatted(OnLeader.DEFAULT_ROLE));
        }
        return role;
    }

    static String role(String annotation, Method method, String text, UnaryOperator<String> values) {
        return role(annotation, "method %s()".formatted(nameOf(method)), text, values);
    }

    private static String nameOf(Method method) {
        return "%s.%s".formatted(method.getDeclaringClass().getName(), method.getName());
    }

    static AnnotationUsageException misuse(Class<?> type, String problem, String action) {
        String name = ClassUtils.getUserClass(type).getName();
        return new AnnotationUsageException("The @OnLeader class %s %s".formatted(name, problem), action);
    }

    static AnnotationUsageException misuse(Method method, String problem, String action) {
        return AnnotationUsageException.of(ON_LEADER, method, problem, action);
    }
}
