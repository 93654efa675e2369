package io.paxoslease.spring.proxy;

import io.paxoslease.spring.proxy.ProxiedMethods.Problem;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationContextAware;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Refuses annotated beans that the post-processor of their annotation does not see, because they would run unguarded without a sign of it:
 * beans that are created too early or registered as objects, and beans of application contexts above or below that lack the post-processor.
 */
public abstract class UnguardedBeans
        implements BeanFactoryPostProcessor,
                PriorityOrdered,
                ApplicationContextAware,
                SmartInitializingSingleton,
                ApplicationListener<ContextRefreshedEvent> {

    private static final Problem TOO_EARLY = new Problem(
            "the bean is created before it can be guarded.",
            "Find the BeanFactoryPostProcessor or BeanPostProcessor that needs the bean, directly or indirectly, and give it an"
                    + " ObjectProvider of the bean, or make its @Bean method static.");
    private static final Problem REGISTERED = new Problem(
            "the bean is registered as an object, by registerSingleton, so it is never post-processed.",
            "Declare it by a @Bean method, or register a bean definition with a supplier: registerBean(name, type, supplier).");

    private final String annotation;
    private final Class<? extends BeanPostProcessor> guard;
    private final Set<Class<? extends Advice>> advices;
    private final String consequence;
    private final Problem missing;
    /** The names of the beans of this context that are post-processed. */
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    private Set<String> early = Set.of();
    private @Nullable ApplicationContext context;
    private volatile boolean complete;

    /**
     * @param annotation its name, with the at sign
     * @param guard the post-processor that guards the beans
     * @param advices by which it guards calls
     * @param consequence what would happen to calls without it
     * @param missing what is wrong with a context without it
     */
    protected UnguardedBeans(
            String annotation,
            Class<? extends BeanPostProcessor> guard,
            Set<Class<? extends Advice>> advices,
            String consequence,
            Problem missing) {
        this.annotation = annotation;
        this.guard = guard;
        this.advices = advices;
        this.consequence = consequence;
        this.missing = missing;
    }

    /** Whether the class has methods with the annotation. */
    protected abstract boolean isAnnotated(Class<?> type);

    /** Whether calls of the bean have to be guarded. */
    protected boolean isAnnotated(Object bean, String beanName, ConfigurableListableBeanFactory beanFactory) {
        return isAnnotated(typeOf(bean));
    }

    /** The class whose annotations apply to the bean. */
    protected final Class<?> typeOf(Object bean) {
        return ProxiedMethods.typeOf(bean, this::isAnnotated);
    }

    private AnnotationUsageException refusal(Object bean, String beanName, Problem problem) {
        return new AnnotationUsageException(
                "The %s methods of the bean '%s' of %s would run %s: %s"
                        .formatted(annotation, beanName, typeOf(bean).getName(), consequence, problem.problem()),
                problem.action());
    }

    @Override
    public final int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public final void setApplicationContext(ApplicationContext context) {
        this.context = context;
    }

    /** Adds the check before other post-processors of the bean factory can create a bean. */
    @Override
    public final void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        early = Set.of(beanFactory.getSingletonNames());
        beanFactory.addBeanPostProcessor(new Check(beanFactory));
    }

    /** Before the container starts a bean. */
    @Override
    public final void afterSingletonsInstantiated() {
        if (context == null) {
            return;
        }
        checkThis(context);
        for (ApplicationContext each = context.getParent(); each != null; each = each.getParent()) {
            checkOther(each);
        }
    }

    /** Events of child contexts come here too. */
    @Override
    public final void onApplicationEvent(ContextRefreshedEvent event) {
        if (event.getApplicationContext() != context) {
            checkOther(event.getApplicationContext());
        } else if (!complete) {
            checkThis(context);
            complete = true;
            seen.clear();
        }
    }

    private void checkThis(ApplicationContext own) {
        if (!(own.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory beanFactory)) {
            return;
        }
        for (String name : beanFactory.getSingletonNames()) {
            boolean isEarly = early.contains(name);
            boolean isDefined = beanFactory.containsBeanDefinition(name);
            // An object in the place of a defined bean is the double of a test.
            if ((isEarly || !isDefined) && !seen.contains(name)) {
                check(name, beanFactory, isDefined ? TOO_EARLY : REGISTERED);
            }
        }
    }

    private void checkOther(ApplicationContext other) {
        if (other.getAutowireCapableBeanFactory() instanceof ConfigurableListableBeanFactory beanFactory
                && beanFactory.getBeanNamesForType(guard, true, false).length == 0
                && beanFactory.getBeanNamesForType(getClass(), true, false).length == 0) {
            Problem problem = new Problem(
                    "the application context '%s' is not configured automatically.".formatted(other.getId()),
                    "Put @EnableAutoConfiguration on a configuration class of that context, or move the bean to a context that has it.");
            for (String name : beanFactory.getSingletonNames()) {
                check(name, beanFactory, problem);
            }
        }
    }

    private void check(String beanName, ConfigurableListableBeanFactory beanFactory, Problem problem) {
        Object bean = beanFactory.getSingleton(beanName);
        if (bean != null
                && !(bean instanceof AopInfrastructureBean) // a scoped proxy, whose target is a bean of its own
                && !isGuarded(bean)
                && isAnnotated(bean, beanName, beanFactory)
                && !isMock(bean)) {
            throw refusal(bean, beanName, problem);
        }
    }

    /** By reflection: Mockito is on the class path of tests alone. */
    private static boolean isMock(Object bean) {
        ClassLoader loader = bean.getClass().getClassLoader();
        if (!ClassUtils.isPresent("org.mockito.MockingDetails", loader)) {
            return false;
        }
        Class<?> mockito = ClassUtils.resolveClassName("org.mockito.Mockito", loader);
        Class<?> details = ClassUtils.resolveClassName("org.mockito.MockingDetails", loader);
        Object of =
                ReflectionUtils.invokeMethod(ClassUtils.getMethod(mockito, "mockingDetails", Object.class), null, bean);
        return Boolean.TRUE.equals(ReflectionUtils.invokeMethod(ClassUtils.getMethod(details, "isMock"), of));
    }

    private boolean isGuarded(Object bean) {
        return bean instanceof Advised advised
                && Arrays.stream(advised.getAdvisors())
                        .anyMatch(each -> advices.contains(each.getAdvice().getClass()));
    }

    private final class Check implements BeanPostProcessor {

        private final ConfigurableListableBeanFactory beanFactory;
        private volatile boolean guarded;

        Check(ConfigurableListableBeanFactory beanFactory) {
            this.beanFactory = beanFactory;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (!guarded) {
                guarded = isPostProcessorActive();
            }
            if (!guarded && isAnnotated(bean, beanName, beanFactory)) {
                boolean isThere = beanFactory.getBeanNamesForType(guard, false, false).length > 0;
                throw refusal(bean, beanName, isThere ? TOO_EARLY : missing);
            }
            if (!complete) {
                seen.add(beanName);
            }
            return bean;
        }

        private boolean isPostProcessorActive() {
            return beanFactory instanceof AbstractBeanFactory factory
                    && factory.getBeanPostProcessors().stream().anyMatch(guard::isInstance);
        }
    }
}
