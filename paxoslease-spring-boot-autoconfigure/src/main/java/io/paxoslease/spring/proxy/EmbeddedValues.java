package io.paxoslease.spring.proxy;

import io.paxoslease.protocol.Printable;
import java.time.temporal.Temporal;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Resolves the texts of annotations as {@code @Value} does, with placeholders ({@code ${...}}) and then expressions ({@code #{...}}). Each text
 * is resolved once, because what is found at the start must be what calls use later. Thread-safe.
 */
public final class EmbeddedValues implements UnaryOperator<String> {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParserContext TEMPLATE = new TemplateParserContext();

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
        if (resolved == null || expressions == null || !resolved.contains(TEMPLATE.getExpressionPrefix())) {
            return resolved == null ? "" : resolved;
        }
        StringBuilder value = new StringBuilder();
        for (Expression part : parts(resolved)) {
            value.append(
                    part instanceof LiteralExpression literal
                            ? literal.getExpressionString()
                            : evaluate(expressions, template(part), factory));
        }
        return value.toString();
    }

    /** The parts of a text such as {@code billing-#{@tenant.name}}: as a whole it would leave out a part that is null. */
    private static List<Expression> parts(String text) {
        try {
            Expression all = PARSER.parseExpression(text, TEMPLATE);
            return all instanceof CompositeStringExpression composite
                    ? List.of(composite.getExpressions())
                    : List.of(all);
        } catch (ParseException unreadable) {
            throw new IllegalArgumentException(
                    "'%s' is no Spring expression: %s"
                            .formatted(Printable.name(text), Printable.text(unreadable.toDetailedString())),
                    unreadable);
        }
    }

    private static String template(Expression part) {
        return TEMPLATE.getExpressionPrefix() + part.getExpressionString() + TEMPLATE.getExpressionSuffix();
    }

    private static String evaluate(BeanExpressionResolver expressions, String text, ConfigurableBeanFactory factory) {
        Object value;
        try {
            value = expressions.evaluate(text, new BeanExpressionContext(factory, null));
        } catch (BeansException failed) {
            throw new IllegalArgumentException(
                    "the expression '%s' failed: %s"
                            .formatted(
                                    Printable.name(text),
                                    Printable.text(failed.getMostSpecificCause().getMessage())),
                    failed);
        }
        if (value == null) {
            throw new IllegalArgumentException("the value of '%s' is null".formatted(Printable.name(text)));
        }
        if (!isSimple(value)) {
            throw new IllegalArgumentException(
                    "the value of '%s' is of %s, whose text need not be the same on every instance: use a simple value"
                            .formatted(Printable.name(text), value.getClass().getName()));
        }
        return value.toString();
    }

    /**
     * Whether the text of the value is the same on every instance, in each of its time zones and languages: a text, number, boolean,
     * character, enum constant or UUID, or a date or time of {@code java.time}.
     */
    public static boolean isSimple(Object value) {
        return value instanceof CharSequence
                || value instanceof Number
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Enum<?>
                || value instanceof UUID
                || value instanceof Temporal;
    }
}
