package io.paxoslease.spring.shards;

import io.paxoslease.spring.proxy.AnnotationUsageException;
import io.paxoslease.spring.proxy.EmbeddedValues;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Gives the annotated methods of all beans, and the component factories, to their groups: when all beans are known, and before a group starts. Creates
 * lazy beans with such methods, since only their group may need them. Registered by the auto-configuration.
 */
final class ShardMethods implements SmartInitializingSingleton, BeanFactoryAware {

    private static final List<Class<? extends Annotation>> ANNOTATIONS =
            List.of(OnShard.class, OnShardGranted.class, OnShardRevoked.class);

    private @Nullable ConfigurableListableBeanFactory beans;
    private final EmbeddedValues values = new EmbeddedValues(() -> this.beans);

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = beanFactory instanceof ConfigurableListableBeanFactory factory ? factory : null;
    }

    /** @throws AnnotationUsageException if one of them cannot work on shards */
    @Override
    public void afterSingletonsInstantiated() {
        ConfigurableListableBeanFactory factory = Objects.requireNonNull(beans, "beans");
        GroupsOfContext groups = new GroupsOfContext(factory);
        Map<String, List<ShardMethodRules>> found = new HashMap<>();
        for (String name : factory.getBeanNamesForType(Object.class)) {
            List<ShardMethodRules> methods = methodsOf(name, factory);
            if (!methods.isEmpty()) {
                methods.get(0).checkScope(name, factory);
                found.put(name, methods);
            }
        }
        OrderedBeans ordered = new OrderedBeans(factory);
        ordered.of(found.keySet()).forEach((name, bean) -> Objects.requireNonNull(found.get(name))
                .forEach(method -> add(method, bean, groups)));
        List<String> factories = List.of(factory.getBeanNamesForType(ShardComponentFactory.class)); // not of a parent
        ordered.of(factories).values().stream()
                .map(ShardComponentFactory.class::cast)
                .forEach(each -> groups.worker(each).add(each));
    }

    private void add(ShardMethodRules rules, Object bean, GroupsOfContext groups) {
        ShardMethod method = rules.on(bean);
        GroupWorker worker = groups.worker(rules, rules.group(values));
        if (rules.annotation() instanceof OnShard work) {
            worker.add(new ShardTask(method, rules.delay(work, values)));
        } else if (rules.annotation() instanceof OnShardGranted) {
            worker.addGranted(method);
        } else {
            worker.addRevoked(method);
        }
    }

    private static List<ShardMethodRules> methodsOf(String beanName, ConfigurableListableBeanFactory factory) {
        Class<?> type = typeOf(beanName, factory);
        List<ShardMethodRules> methods = new ArrayList<>();
        for (Class<? extends Annotation> kind : ANNOTATIONS) {
            if (type != null && AnnotationUtils.isCandidateClass(type, kind)) {
                Map<Method, ? extends Annotation> found = MethodIntrospector.selectMethods(
                        type, (Method method) -> AnnotatedElementUtils.findMergedAnnotation(method, kind));
                found.forEach((method, annotation) -> methods.add(new ShardMethodRules(annotation, method, type)));
            }
        }
        return methods;
    }

    /** Null if it is not known: its class is not there, and then its bean cannot be either. */
    private static @Nullable Class<?> typeOf(String beanName, ConfigurableListableBeanFactory factory) {
        Object bean = factory.isFactoryBean(beanName) ? null : factory.getSingleton(beanName);
        if (bean != null) {
            return AopProxyUtils.ultimateTargetClass(bean);
        }
        try {
            return ScopedProxyUtils.isScopedTarget(beanName)
                    ? factory.getType(beanName, false)
                    : AutoProxyUtils.determineTargetClass(factory, beanName);
        } catch (BeansException | LinkageError unknown) {
            return null;
        }
    }
}
