package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.EmbeddedValues;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The key of the lock of each call of one {@link Locked} method. Thread-safe. */
final class LockKey {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParserContext TEMPLATE = new TemplateParserContext();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    /** What the expression is part of, in messages, and the expression, which is evaluated for each call. */
    private record Evaluated(String of, SpelExpression expression) {}

    private final Method method;
    /** Texts and {@link Evaluated} parts. */
    private final List<Object> name;

    private final @Nullable Evaluated key;

    /** @param values resolves what in the name is the same for all calls */
    LockKey(Method method, String name, String key, UnaryOperator<String> values) {
        this.method = method;
        this.name = parts(name, values);
        if (key.isBlank() && this.name.stream().allMatch(part -> part instanceof String text && text.isBlank())) {
            throw LockedMethods.misuse(
                    method,
                    "has no name and no key.",
                    "Name the lock, or give the key, as @Locked(name = \"orders\", key = \"#order.id\").");
        }
        this.key = key.isBlank() ? null : new Evaluated("key", parsed("key", key));
    }

    /** The parts of a name such as {@code ${app.name}-#{#tenant}}. Only what names a parameter is evaluated for each call. */
    private List<Object> parts(String text, UnaryOperator<String> values) {
        if (!text.contains(TEMPLATE.getExpressionPrefix())) {
            return List.of(values.apply(text));
        }
        Expression template = reading("name", text, () -> PARSER.parseExpression(text, TEMPLATE));
        Expression[] all = template instanceof CompositeStringExpression composite
                ? composite.getExpressions()
                : new Expression[] {template};
        List<Object> parts = new ArrayList<>();
        for (Expression each : all) {
            String own = each.getExpressionString();
            if (!(each instanceof SpelExpression expression)) {
                parts.add(values.apply(own));
            } else if (namesParameter(expression.getAST())) {
                parts.add(new Evaluated("name", parsed("name", values.apply(own))));
            } else {
                parts.add(values.apply(TEMPLATE.getExpressionPrefix() + own + TEMPLATE.getExpressionSuffix()));
            }
        }
        return parts;
    }

    private static boolean namesParameter(SpelNode node) {
        for (int i = 0; i < node.getChildCount(); i++) {
            if (namesParameter(node.getChild(i))) {
                return true;
            }
        }
        return node instanceof VariableReference;
    }

    private SpelExpression parsed(String of, String text) {
        SpelExpression parsed = reading(of, text, () -> PARSER.parseRaw(text));
        checkNames(of, text, parsed.getAST());
        return parsed;
    }

    private <T> T reading(String of, String text, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (ParseException unreadable) {
            throw LockedMethods.misuse(
                    method,
                    "has the %s '%s', which is no Spring expression: %s."
                            .formatted(of, text, unreadable.toDetailedString()),
                    "Write a parameter as #name, and text in single quotes.");
        }
    }

    private void checkNames(String of, String text, SpelNode node) {
        if (node instanceof VariableReference) {
            String named = node.toStringAST().substring(1);
            Set<String> known = namesOf(method);
            if (!known.contains(named)) {
                throw LockedMethods.misuse(
                        method,
                        "has the %s '%s', and there is no parameter #%s, but %s.".formatted(of, text, named, known),
                        "Name a parameter. If its name is not listed, compile with -parameters, or use its position (#a0).");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNames(of, text, node.getChild(i));
        }
    }

    private static Set<String> namesOf(Method method) {
        Set<String> names = new HashSet<>(Set.of("root", "this"));
        for (int i = 0; i < method.getParameterCount(); i++) {
            names.add("a" + i);
            names.add("p" + i);
        }
        String[] own = NAMES.getParameterNames(method);
        if (own != null) {
            names.addAll(Arrays.asList(own));
        }
        return names;
    }

    /**
     * The key of one call.
     *
     * @throws IllegalArgumentException if an expression fails, or its value is null, empty, or no simple one
     */
    String of(@Nullable Object target, Object[] arguments, @Nullable BeanFactory beans) {
        Function<Evaluated, String> evaluator = part -> text(part, evaluate(part, target, arguments, beans));
        StringBuilder called = new StringBuilder();
        for (Object part : name) {
            called.append(part instanceof Evaluated evaluated ? evaluator.apply(evaluated) : part);
        }
        Evaluated known = key;
        if (known == null) {
            return called.toString();
        }
        String value = evaluator.apply(known);
        return called.toString().isBlank() ? value : LeaseLocks.key(called.toString(), value);
    }

    private @Nullable Object evaluate(
            Evaluated part, @Nullable Object target, Object[] arguments, @Nullable BeanFactory beans) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(target == null ? "" : target, method, arguments, NAMES);
        if (beans != null) {
            context.setBeanResolver(new BeanFactoryResolver(beans));
        }
        try {
            return part.expression().getValue(context);
        } catch (EvaluationException failed) {
            throw new IllegalArgumentException(
                    "%s failed: %s".formatted(described(part), Printable.text(failed.getMessage())), failed);
        }
    }

    private String text(Evaluated part, @Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "%s is null: all such calls would have one lock. Pass a value, or choose another %s"
                            .formatted(described(part), part.of()));
        }
        if (!EmbeddedValues.isSimple(value)) {
            throw new IllegalArgumentException(
                    "%s is of %s, whose text need not be the same on every instance: use a simple value, for instance an id of it"
                            .formatted(described(part), value.getClass().getName()));
        }
        String text = value.toString();
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s is empty: all such calls would have one lock. Pass a value, or choose another %s"
                            .formatted(described(part), part.of()));
        }
        return text;
    }

    private String described(Evaluated part) {
        return "The %s '%s' of the @Locked method %s.%s()"
                .formatted(
                        part.of(),
                        Printable.name(part.expression().getExpressionString()),
                        method.getDeclaringClass().getSimpleName(),
                        method.getName());
    }
}
