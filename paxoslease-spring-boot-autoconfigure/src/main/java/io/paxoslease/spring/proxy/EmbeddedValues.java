package io.paxoslease.spring.proxy;

import io.paxoslease.protocol.Printable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Resolves the texts of annotations as {@code @Value} does, with placeholders ({@code ${...}}) and then expressions ({@code #{...}}). Each text
 * is resolved once, because what is found at the start must be what calls use later. Thread-safe.
 */
public final class EmbeddedValues implements UnaryOperator<String> {

    private final Map<String, String> known = new ConcurrentHashMap<>();
    private final Supplier<? extends @Nullable BeanFactory> beans;

    /** @param beans has the properties and the beans; if there is none, texts stay as they are */
    public EmbeddedValues(Supplier<? extends @Nullable BeanFactory> beans) {
        this.beans = beans;
    }

    /**
     * The value of the text; empty if it is null.
     *
     * @throws IllegalArgumentException if it has none, or none that is the same text on every instance
     */
    @Override
    public String apply(String text) {
        String value = known.get(text);
        if (value == null) {
            value = resolve(text); // may create beans, which ask for other texts
            known.put(text, value);
        }
        return value;
    }

    private String resolve(String text) {
        if (!(beans.get() instanceof ConfigurableBeanFactory factory)) {
            return text;
        }
        String resolved = factory.resolveEmbeddedValue(text);
        BeanExpressionResolver expressions = factory.getBeanExpressionResolver();
        Object value = resolved == null || expressions == null ? resolved : evaluate(expressions, resolved, factory);
        if (value != null && !BeanUtils.isSimpleValueType(value.getClass())) {
            throw new IllegalArgumentException(
                    "the value of '%s' is of %s, whose text need not be the same on every instance: use a simple value"
                            .formatted(Printable.name(text), value.getClass().getName()));
        }
        return value == null ? "" : value.toString();
    }

    private static @Nullable Object evaluate(
            BeanExpressionResolver expressions, String text, ConfigurableBeanFactory factory) {
        try {
            return expressions.evaluate(text, new BeanExpressionContext(factory, null));
        } catch (BeansException failed) {
            throw new IllegalArgumentException(
                    "the expression '%s' failed: %s"
                            .formatted(
                                    Printable.name(text),
                                    Printable.text(failed.getMostSpecificCause().getMessage())),
                    failed);
        }
    }
}
