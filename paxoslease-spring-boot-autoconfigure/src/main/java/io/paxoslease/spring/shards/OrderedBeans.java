package io.paxoslease.spring.shards;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;

/** Beans in the order in which Spring injects those of one type: an order counts on their class, and on the method that makes them. */
final class OrderedBeans {

    private final ConfigurableListableBeanFactory factory;

    OrderedBeans(ConfigurableListableBeanFactory factory) {
        this.factory = factory;
    }

    /** By name, in order. */
    Map<String, Object> of(Collection<String> names) {
        List<Map.Entry<String, Object>> all = new ArrayList<>();
        for (String name : factory.getBeanDefinitionNames()) {
            if (names.contains(name)) {
                all.add(Map.entry(name, factory.getBean(name)));
            }
        }
        for (String name : names) {
            if (!factory.containsBeanDefinition(name)) { // registered as an object
                all.add(Map.entry(name, factory.getBean(name)));
            }
        }
        Comparator<Object> order = AnnotationAwareOrderComparator.INSTANCE.withSourceProvider(
                entry -> entry instanceof Map.Entry<?, ?> each ? sources(each) : null);
        all.sort(order);
        Map<String, Object> ordered = new LinkedHashMap<>();
        all.forEach(entry -> ordered.put(entry.getKey(), entry.getValue()));
        return ordered;
    }

    /** What may have an order: the first one that does decides. */
    private Object[] sources(Map.Entry<?, ?> entry) {
        Object bean = Objects.requireNonNull(entry.getValue());
        Method maker = maker(String.valueOf(entry.getKey()));
        return maker == null ? new Object[] {bean} : new Object[] {maker, bean};
    }

    private @Nullable Method maker(String name) {
        return factory.containsBeanDefinition(name)
                        && factory.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
                ? definition.getResolvedFactoryMethod()
                : null;
    }
}
