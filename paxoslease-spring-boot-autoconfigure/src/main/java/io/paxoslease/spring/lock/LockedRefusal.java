package io.paxoslease.spring.lock;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * Refuses beans with {@link Locked} methods that would run without their locks: there is no node, or the bean is created too early. Registered
 * by the auto-configuration.
 */
public final class LockedRefusal implements BeanFactoryPostProcessor {

    /** Adds the check before the first ordinary bean is created. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        beanFactory.addBeanPostProcessor(new Check(beanFactory));
    }

    private static final class Check implements BeanPostProcessor {

        private final ConfigurableListableBeanFactory beanFactory;
        private volatile boolean locked;

        Check(ConfigurableListableBeanFactory beanFactory) {
            this.beanFactory = beanFactory;
        }

        /** @throws LockedUsageException if the bean has annotated methods, and nothing locks them */
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!locked) {
                locked = isPostProcessorActive();
            }
            if (!locked && !LockedMethods.of(AopUtils.getTargetClass(bean)).isEmpty()) {
                refuse(AopUtils.getTargetClass(bean), beanName);
            }
            return bean;
        }

        private boolean isPostProcessorActive() {
            return beanFactory instanceof AbstractBeanFactory factory
                    && factory.getBeanPostProcessors().stream().anyMatch(LockedPostProcessor.class::isInstance);
        }

        private void refuse(Class<?> type, String beanName) {
            String description = "The @Locked methods of the bean '%s' of %s would run without their locks: "
                    .formatted(beanName, type.getName());
            if (beanFactory.getBeanNamesForType(LockedPostProcessor.class, false, false).length > 0) {
                throw new LockedUsageException(
                        description + "the bean is created before it can be proxied.",
                        "Find the BeanPostProcessor that needs the bean, directly or indirectly, and give it an "
                                + "ObjectProvider of the bean, or make its @Bean method static.");
            }
            throw new LockedUsageException(
                    description + "this application has no PaxosLease node.",
                    "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLockedAutoConfiguration; or remove the bean. For"
                            + " development and tests, paxoslease.standalone=true makes a cell of this instance alone.");
        }
    }
}
