package io.paxoslease.spring.leader;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;

/**
 * Refuses beans with {@link OnLeader} that are not guarded, because they would run on every node: leader election is
 * off, or the bean is created too early. Registered by the auto-configuration.
 */
public final class OnLeaderRefusal implements BeanFactoryPostProcessor {

    /** Adds the check before the first ordinary bean is created. */
    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        beanFactory.addBeanPostProcessor(new Check(beanFactory));
    }

    private static final class Check implements BeanPostProcessor {

        private final ConfigurableListableBeanFactory beanFactory;
        private final LifecycleHandover lifecycles = new LifecycleHandover();
        private volatile boolean guarded;

        Check(ConfigurableListableBeanFactory beanFactory) {
            this.beanFactory = beanFactory;
        }

        /** @throws OnLeaderUsageException if the bean is annotated and not guarded */
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!guarded) {
                guarded = isPostProcessorActive();
            }
            if (!guarded) {
                Class<?> type = AopUtils.getTargetClass(bean);
                if (!OnLeaderMethods.of(type).isEmpty()
                        || lifecycles.annotationOf(bean, beanName, type, beanFactory) != null) {
                    refuse(type, beanName);
                }
            }
            return bean;
        }

        private boolean isPostProcessorActive() {
            return beanFactory instanceof AbstractBeanFactory factory
                    && factory.getBeanPostProcessors().stream().anyMatch(OnLeaderPostProcessor.class::isInstance);
        }

        private void refuse(Class<?> type, String beanName) {
            String description = "The @OnLeader methods of the bean '%s' of %s would run on every node: "
                    .formatted(beanName, type.getName());
            if (beanFactory.getBeanNamesForType(OnLeaderPostProcessor.class, false, false).length > 0) {
                throw new OnLeaderUsageException(
                        description + "the bean is created before it can be guarded.",
                        "Find the BeanPostProcessor that needs the bean, directly or indirectly, and give it an "
                                + "ObjectProvider of the bean, or make its @Bean method static.");
            }
            throw new OnLeaderUsageException(
                    description + "leader election is off.",
                    "Set paxoslease.enabled=true, and do not exclude PaxosLeaseLeaderAutoConfiguration; or remove the bean."
                            + " For development and tests, paxoslease.standalone=true makes this instance the leader of every"
                            + " role.");
        }
    }
}
