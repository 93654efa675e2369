package io.paxoslease.spring.text;

import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.TypeCastTree;
import com.sun.source.util.TreePath;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.Modifier;
import javax.lang.model.element.RecordComponentElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.util.ElementFilter;
import org.jspecify.annotations.Nullable;

/**
 * Whether a text is printable whatever came from outside: it is made of constants, numbers, times, enum constants, {@code Printable.name(...)} and
 * {@code Printable.text(...)}, or of what is checked when it is made.
 */
final class SafeText {

    private static final String PRINTABLE = "io.paxoslease.protocol.Printable";

    /** Their texts have no text from outside. */
    private static final Set<String> TYPES = Set.of(
            "java.lang.Class",
            "java.util.UUID",
            "java.math.BigInteger",
            "java.time.Duration",
            "java.time.Instant",
            "java.lang.reflect.Method",
            "java.util.concurrent.TimeUnit");

    /** Names that are checked when they are made: without white space, control and format characters. */
    private static final Map<String, Set<String>> CHECKED = Map.of(
            "io.paxoslease.PaxosLeaseOptions", Set.of("nodeId", "cell", "application"),
            "io.paxoslease.protocol.NodeId", Set.of("name", "toString"),
            "java.lang.Class", Set.of("getName", "getSimpleName"),
            "java.lang.reflect.Method", Set.of("getName"),
            "java.lang.Enum", Set.of("name"));

    /** Of these, the text is what its arguments are. */
    private static final Set<String> COMPOSED = Set.of(
            "java.lang.String.format",
            "java.lang.String.formatted",
            "java.lang.String.valueOf",
            "java.lang.String.join",
            "java.lang.String.toString",
            "java.lang.String.strip",
            "java.lang.String.toLowerCase",
            "java.util.Objects.requireNonNull",
            "java.util.Objects.requireNonNullElse");

    private final Sources sources;
    private final Set<Object> open = new HashSet<>();

    SafeText(Sources sources) {
        this.sources = sources;
    }

    boolean isSafe(TreePath path) {
        return raw(path).isEmpty();
    }

    /** The parts of the expression that are not printable for certain. */
    List<TreePath> raw(TreePath path) {
        TypeMirror type = sources.trees.getTypeMirror(path);
        Tree tree = path.getLeaf();
        if (tree instanceof LiteralTree || (type != null && isSafe(type))) {
            return List.of();
        }
        List<TreePath> parts = parts(path, tree);
        return parts == null ? List.of(path) : rawOf(parts);
    }

    private List<TreePath> rawOf(List<TreePath> parts) {
        return parts.stream().flatMap(part -> raw(part).stream()).toList();
    }

    /** What its text is made of; null if that is unknown. */
    private @Nullable List<TreePath> parts(TreePath path, Tree tree) {
        if (tree instanceof ParenthesizedTree parenthesized) {
            return below(path, parenthesized.getExpression());
        }
        if (tree instanceof TypeCastTree cast) {
            return below(path, cast.getExpression());
        }
        if (tree instanceof ConditionalExpressionTree choice) {
            return below(path, choice.getTrueExpression(), choice.getFalseExpression());
        }
        if (tree instanceof BinaryTree sum) {
            return below(path, sum.getLeftOperand(), sum.getRightOperand());
        }
        if (tree instanceof SwitchExpressionTree choice) {
            return sources.resultsOf(new TreePath(path, choice));
        }
        if (tree instanceof MethodInvocationTree call) {
            return partsOfCall(path, call);
        }
        return partsOfElement(sources.element(path));
    }

    private static List<TreePath> below(TreePath parent, ExpressionTree... expressions) {
        return Arrays.stream(expressions)
                .map(each -> new TreePath(parent, each))
                .toList();
    }

    private @Nullable List<TreePath> partsOfCall(TreePath path, MethodInvocationTree call) {
        if (!(sources.element(path) instanceof ExecutableElement method)) {
            return null;
        }
        String owner =
                ((TypeElement) method.getEnclosingElement()).getQualifiedName().toString();
        String name = method.getSimpleName().toString();
        if (owner.equals(PRINTABLE) || CHECKED.getOrDefault(owner, Set.of()).contains(name)) {
            return List.of();
        }
        boolean composed = COMPOSED.contains(owner + "." + name);
        if (composed || (name.equals("toString") && method.getParameters().isEmpty())) {
            List<TreePath> parts =
                    new ArrayList<>(below(path, call.getArguments().toArray(ExpressionTree[]::new)));
            if (!method.getModifiers().contains(Modifier.STATIC)) {
                if (!(call.getMethodSelect() instanceof MemberSelectTree select)) {
                    return null; // its own
                }
                parts.add(new TreePath(new TreePath(path, select), select.getExpression()));
            }
            return parts;
        }
        return partsOfElement(method);
    }

    /** The values of a variable, the results of a method; none for a constant. */
    private @Nullable List<TreePath> partsOfElement(@Nullable Element element) {
        if (element instanceof VariableElement variable && variable.getConstantValue() != null) {
            return List.of();
        }
        List<TreePath> values = element instanceof ExecutableElement method
                ? sources.resultsOf(method)
                : element instanceof VariableElement && element.getKind() != ElementKind.PARAMETER
                        ? sources.valuesOf(element)
                        : List.of();
        if (element == null || values.isEmpty()) {
            return null;
        }
        if (!open.add(element)) {
            return List.of(); // it is being looked at: what else it is made of decides
        }
        try {
            return values.stream().allMatch(this::isSafe) ? List.of() : null;
        } finally {
            open.remove(element);
        }
    }

    /** Whether the text of everything of that type is safe. */
    boolean isSafe(TypeMirror type) {
        if (type.getKind().isPrimitive() || type.getKind() == TypeKind.VOID) {
            return true;
        }
        if (type instanceof ArrayType array) {
            return isSafe(array.getComponentType());
        }
        if (!(type instanceof DeclaredType declared) || !(declared.asElement() instanceof TypeElement element)) {
            return false;
        }
        String name = element.getQualifiedName().toString();
        if (TYPES.contains(name) || element.getKind() == ElementKind.ENUM || isNumber(element) || isThrowable(type)) {
            return true;
        }
        if (name.startsWith("java.util.") && !declared.getTypeArguments().isEmpty()) {
            return declared.getTypeArguments().stream().allMatch(this::isSafe); // a list, a map, an Optional
        }
        return name.startsWith("io.paxoslease.") && isSafeOwn(element);
    }

    /** The stack trace of a throwable is printed with its message, which the check of constructors is for. */
    boolean isThrowable(TypeMirror type) {
        return sources.types.isAssignable(
                type, sources.elements.getTypeElement("java.lang.Throwable").asType());
    }

    private boolean isNumber(TypeElement element) {
        String name = element.getQualifiedName().toString();
        return Set.of("java.lang.Boolean", "java.lang.Character").contains(name)
                || (name.startsWith("java.lang.")
                        && element.getSuperclass().toString().equals("java.lang.Number"))
                || name.startsWith("java.util.concurrent.atomic.AtomicLong")
                || name.startsWith("java.util.concurrent.atomic.AtomicInteger");
    }

    private boolean isSafeOwn(TypeElement element) {
        if (!open.add(element)) {
            return true;
        }
        try {
            for (ExecutableElement method : ElementFilter.methodsIn(element.getEnclosedElements())) {
                if (method.getSimpleName().contentEquals("toString")
                        && method.getParameters().isEmpty()) {
                    String owner = element.getQualifiedName().toString();
                    return CHECKED.getOrDefault(owner, Set.of()).contains("toString") || partsOfElement(method) != null;
                }
            }
            if (element.getKind() != ElementKind.RECORD) {
                return false;
            }
            for (RecordComponentElement component : ElementFilter.recordComponentsIn(element.getEnclosedElements())) {
                if (!isSafe(component.asType())) {
                    return false;
                }
            }
            return true;
        } finally {
            open.remove(element);
        }
    }
}
