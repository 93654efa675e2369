package io.paxoslease.spring.leader;

import java.lang.reflect.Method;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * Refuses beans with {@link OnLeader} methods for as long as nothing guards them, since they would run on every node:
 * because leader election is off, or because the bean is made too early. Registered by the auto-configuration.
 */
public final class OnLeaderRefusal implements BeanFactoryPostProcessor {

    /** Adds the check before the first ordinary bean is made. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        beanFactory.addBeanPostProcessor(new Check(beanFactory));
    }

    private static final class Check implements BeanPostProcessor {

        private final ConfigurableListableBeanFactory beanFactory;
        private volatile boolean guarded;

        Check(ConfigurableListableBeanFactory beanFactory) {
            this.beanFactory = beanFactory;
        }

        /** @throws OnLeaderUsageException when the bean has an annotated method that nothing guards */
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!guarded) {
                guarded = isPostProcessorActive();
            }
            if (!guarded) {
                OnLeaderMethods.of(AopUtils.getTargetClass(bean)).keySet().stream()
                        .findFirst()
                        .ifPresent(method -> refuse(method, beanName));
            }
            return bean;
        }

        private boolean isPostProcessorActive() {
            return beanFactory instanceof AbstractBeanFactory factory
                    && factory.getBeanPostProcessors().stream().anyMatch(OnLeaderPostProcessor.class::isInstance);
        }

        private void refuse(Method method, String beanName) {
            if (beanFactory.getBeanNamesForType(OnLeaderPostProcessor.class, false, false).length > 0) {
                throw OnLeaderRules.misuse(
                        method,
                        "of the bean '%s' would run on every node: the bean is made before it can be guarded."
                                .formatted(beanName),
                        "Find the BeanPostProcessor that needs the bean, directly or not, and let it take an "
                                + "ObjectProvider of the bean, or make its @Bean method static.");
            }
            throw OnLeaderRules.misuse(
                    method,
                    "of the bean '%s' would run on every node: leader election is off.".formatted(beanName),
                    "Set paxoslease.enabled=true and do not exclude PaxosLeaseLeaderAutoConfiguration (without "
                            + "paxoslease.peers the application leads on its own), or leave the bean out.");
        }
    }
}
