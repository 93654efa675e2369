package io.paxoslease.spring.leader;

import io.paxoslease.election.Leadership;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.EmbeddedValues;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ApplicationListenerMethodAdapter;
import org.springframework.context.event.EventListenerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Creates the listeners of {@link OnGranted} and {@link OnRevoked} methods. Registered by the auto-configuration. */
final class LeadershipListenerFactory implements EventListenerFactory, Ordered, BeanFactoryAware {

    /** Before Spring's own factories, which would create listeners for every role. */
    private static final int ORDER = 10;

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private final ObjectProvider<LeaderElections> elections;
    private @Nullable BeanFactory beanFactory;
    private final EmbeddedValues values = new EmbeddedValues(() -> this.beanFactory);

    LeadershipListenerFactory(ObjectProvider<LeaderElections> elections) {
        this.elections = elections;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beanFactory = beanFactory;
    }

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public boolean supportsMethod(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, OnGranted.class)
                || AnnotatedElementUtils.hasAnnotation(method, OnRevoked.class);
    }

    @Override
    public ApplicationListener<?> createApplicationListener(String beanName, Class<?> type, Method method) {
        OnGranted granted = AnnotatedElementUtils.findMergedAnnotation(method, OnGranted.class);
        OnRevoked revoked = AnnotatedElementUtils.findMergedAnnotation(method, OnRevoked.class);
        String annotation = granted != null ? "@OnGranted" : "@OnRevoked";
        check(method, annotation, granted != null && revoked != null);
        if (beanFactory instanceof ListableBeanFactory factory && LifecycleHandover.isOfChild(factory)) {
            throw AnnotationUsageException.of(
                    annotation,
                    method,
                    "belongs to a child of the application context that has the elections, and is never called.",
                    "Move its bean to the parent context.");
        }
        String text = granted != null ? granted.role() : revoked == null ? "" : revoked.role();
        String role = OnLeaderRules.role(annotation, method, text, values);
        elections.getObject().join(role);
        return new RoleListener(beanName, type, method, role);
    }

    private static void check(Method method, String annotation, boolean both) {
        if (both) {
            throw AnnotationUsageException.of(
                    annotation,
                    method,
                    "is both an @OnGranted and an @OnRevoked method.",
                    "Split it into two methods.");
        }
        Class<?> event = annotation.equals("@OnGranted") ? LeadershipGrantedEvent.class : LeadershipRevokedEvent.class;
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 1 || (parameters.length == 1 && !isGiven(parameters[0], event))) {
            throw AnnotationUsageException.of(
                    annotation,
                    method,
                    "has parameters that a listener of leadership does not get.",
                    "Declare no parameter, the Leadership, or the event: LeadershipGrantedEvent for @OnGranted,"
                            + " LeadershipRevokedEvent for @OnRevoked.");
        }
    }

    private static boolean isGiven(Class<?> parameter, Class<?> event) {
        return parameter == Leadership.class
                || (LeadershipEvent.class.isAssignableFrom(parameter) && parameter.isAssignableFrom(event));
    }

    private static final class RoleListener extends ApplicationListenerMethodAdapter {

        private final String role;

        RoleListener(String beanName, Class<?> type, Method method, String role) {
            super(beanName, type, method);
            this.role = role;
        }

        @Override
        public void onApplicationEvent(ApplicationEvent event) {
            if (event instanceof LeadershipEvent leadership && leadership.role().equals(role)) {
                tell(event);
            }
        }

        /** A listener that throws must not keep the event from the others. */
        private void tell(ApplicationEvent event) {
            try {
                super.onApplicationEvent(event);
            } catch (Exception failure) { // user code: other JVM languages throw checked exceptions undeclared
                log.warn(
                        "The listener {} of {} failed; leadership is not affected",
                        getTargetMethod(),
                        Printable.text(event),
                        failure);
            }
        }

        @Override
        protected Object @Nullable [] resolveArguments(ApplicationEvent event) {
            Class<?>[] parameters = getTargetMethod().getParameterTypes();
            if (parameters.length == 1 && parameters[0] == Leadership.class) {
                return event instanceof LeadershipEvent leadership ? new Object[] {leadership.leadership()} : null;
            }
            return super.resolveArguments(event);
        }
    }
}
