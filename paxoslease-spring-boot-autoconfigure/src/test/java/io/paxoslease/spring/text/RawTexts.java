package io.paxoslease.spring.text;

import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.TypeMirror;

/** Finds what is logged, or is the message of an exception, as it came from outside. */
final class RawTexts extends TreePathScanner<Void, Void> {

    private static final Set<String> LOGGERS = Set.of("org.slf4j.Logger", "org.slf4j.spi.LoggingEventBuilder");
    private static final Set<String> LOG_METHODS =
            Set.of("trace", "debug", "info", "warn", "error", "log", "addKeyValue", "addArgument", "setMessage");

    /** What expressions are called that have a name or a sentence from outside. */
    private static final Set<String> FROM_OUTSIDE = Set.of(
            "resource",
            "role",
            "register",
            "lockKey",
            "key",
            "name",
            "nodeId",
            "id",
            "client",
            "peer",
            "owner",
            "holder",
            "proposer",
            "application",
            "host",
            "word",
            "incarnation",
            "form",
            "subject",
            "getMessage",
            "message",
            "text");

    private final Sources sources;
    private final SafeText safe;
    private final List<String> found = new ArrayList<>();

    RawTexts(Sources sources) {
        this.sources = sources;
        this.safe = new SafeText(sources);
    }

    /** One line for each, with its place and what to write. */
    List<String> find() {
        sources.units.forEach(unit -> scan(unit, null));
        return found;
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
        if (sources.element(getCurrentPath()) instanceof ExecutableElement method
                && method.getEnclosingElement() instanceof TypeElement owner
                && LOGGERS.contains(owner.getQualifiedName().toString())
                && LOG_METHODS.contains(method.getSimpleName().toString())
                && call.getMethodSelect() instanceof MemberSelectTree) {
            call.getArguments().forEach(this::checkLogged);
        }
        return super.visitMethodInvocation(call, null);
    }

    /** A stack trace in the log has the message of the exception. */
    @Override
    public Void visitNewClass(NewClassTree node, Void none) {
        TypeMirror type = sources.trees.getTypeMirror(getCurrentPath());
        if (type != null
                && node.getClassBody() == null
                && safe.isThrowable(type)
                && !type.toString()
                        .endsWith("PropertyValueException")) { // about one of the application's own properties
            node.getArguments().forEach(this::checkMessage);
        }
        return super.visitNewClass(node, null);
    }

    private void checkLogged(ExpressionTree argument) {
        safe.raw(new TreePath(getCurrentPath(), argument)).forEach(part -> add(part, "is logged"));
    }

    /** An exception keeps names for the application as they are; its message is a whole expression. */
    private void checkMessage(ExpressionTree argument) {
        TreePath path = new TreePath(getCurrentPath(), argument);
        if (argument instanceof IdentifierTree || (argument instanceof MethodInvocationTree call && isAccessor(call))) {
            return;
        }
        for (TreePath part : safe.raw(path)) {
            if (FROM_OUTSIDE.contains(nameOf(part.getLeaf()))) {
                add(part, "is in the message of an exception");
            }
        }
    }

    private static boolean isAccessor(MethodInvocationTree call) {
        return call.getArguments().isEmpty();
    }

    private static String nameOf(Tree tree) {
        if (tree instanceof MethodInvocationTree call) {
            return nameOf(call.getMethodSelect());
        }
        return tree instanceof MemberSelectTree select
                ? select.getIdentifier().toString()
                : tree instanceof IdentifierTree identifier
                        ? identifier.getName().toString()
                        : "";
    }

    private void add(TreePath part, String where) {
        found.add(
                "%s: '%s' %s as it came: write Printable.name(...) for a name, Printable.text(...) for a sentence, Printable.line(...) for several"
                        .formatted(sources.place(part), part.getLeaf(), where));
    }
}
