package io.paxoslease.spring.lock;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.protocol.Printable;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The key of the lock of each call of one {@link Locked} method. Thread-safe. */
final class LockKey {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();
    private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

    private final Method method;
    private final String name;
    private final @Nullable SpelExpression expression;

    /**
     * @param name without placeholders; may be empty if there is an expression
     * @param expression may be empty if there is a name
     * @throws LockedUsageException if there is neither, or the expression cannot be read
     */
    LockKey(Method method, String name, String expression) {
        this.method = method;
        this.name = name;
        if (name.isBlank() && expression.isBlank()) {
            throw LockedUsageException.of(
                    method,
                    "has no name and no key.",
                    "Name the lock, or give the key, as @Locked(name = \"orders\", key = \"#order.id\").");
        }
        this.expression = expression.isBlank() ? null : parse(method, expression);
    }

    private static SpelExpression parse(Method method, String text) {
        try {
            SpelExpression parsed = PARSER.parseRaw(text);
            checkNames(method, text, parsed.getAST());
            return parsed;
        } catch (ParseException unreadable) {
            throw LockedUsageException.of(
                    method,
                    "has the key '%s', which is no Spring expression: %s."
                            .formatted(text, unreadable.toDetailedString()),
                    "Write a parameter as #name, and text in single quotes.");
        }
    }

    private static void checkNames(Method method, String text, SpelNode node) {
        if (node instanceof VariableReference) {
            String named = node.toStringAST().substring(1);
            Set<String> known = namesOf(method);
            if (!known.contains(named)) {
                throw LockedUsageException.of(
                        method,
                        "has the key '%s', and there is no parameter #%s, but %s.".formatted(text, named, known),
                        "Name a parameter. If its name is not listed, compile with -parameters, or use its position (#a0).");
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            checkNames(method, text, node.getChild(i));
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
     * @throws IllegalArgumentException if the expression fails, or its value is null, empty, or no simple one
     */
    String of(@Nullable Object target, Object[] arguments, @Nullable BeanFactory beans) {
        SpelExpression known = expression;
        if (known == null) {
            return name;
        }
        String value = text(known, evaluate(known, target, arguments, beans));
        return name.isBlank() ? value : LeaseLocks.key(name, value);
    }

    private @Nullable Object evaluate(
            SpelExpression known, @Nullable Object target, Object[] arguments, @Nullable BeanFactory beans) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(target == null ? "" : target, method, arguments, NAMES);
        if (beans != null) {
            context.setBeanResolver(new BeanFactoryResolver(beans));
        }
        try {
            return known.getValue(context);
        } catch (EvaluationException failed) {
            throw new IllegalArgumentException(
                    "%s failed: %s".formatted(described(known), Printable.text(failed.getMessage())), failed);
        }
    }

    private String text(SpelExpression known, @Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "%s is null: all such calls would have one lock. Pass a value, or choose another key"
                            .formatted(described(known)));
        }
        if (!BeanUtils.isSimpleValueType(value.getClass())) {
            throw new IllegalArgumentException(
                    "%s is of %s, whose text need not be the same on every instance: use a simple value, for instance an id of it"
                            .formatted(described(known), value.getClass().getName()));
        }
        String text = value.toString();
        if (text.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s is empty: all such calls would have one lock. Pass a value, or choose another key"
                            .formatted(described(known)));
        }
        return text;
    }

    private String described(SpelExpression known) {
        return "The key '%s' of the @Locked method %s.%s()"
                .formatted(
                        Printable.name(known.getExpressionString()),
                        method.getDeclaringClass().getSimpleName(),
                        method.getName());
    }

    /** Whether all calls have the same key. */
    boolean isConstant() {
        return expression == null;
    }
}
