package io.paxoslease.spring.text;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.CaseTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Java sources with the types of all their expressions, as the compiler knows them. */
final class Sources {

    final Trees trees;
    final Types types;
    final Elements elements;
    final List<CompilationUnitTree> units = new ArrayList<>();
    private final Map<Element, List<TreePath>> assigned = new HashMap<>();
    private final Map<Element, List<TreePath>> returned = new HashMap<>();

    /** @throws AssertionError if they do not compile */
    Sources(Iterable<? extends JavaFileObject> files) throws IOException {
        JavaCompiler compiler = compiler();
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        List<String> options = List.of("-classpath", classPath(), "-proc:none", "-Xlint:none", "-parameters");
        JavacTask task = (JavacTask) compiler.getTask(null, files(compiler), problems, options, null, files);
        task.parse().forEach(units::add);
        task.analyze();
        List<String> errors = problems.getDiagnostics().stream()
                .filter(each -> each.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .map(String::valueOf)
                .limit(5)
                .toList();
        if (!errors.isEmpty()) {
            throw new AssertionError("The sources do not compile: " + errors);
        }
        trees = Trees.instance(task);
        types = task.getTypes();
        elements = task.getElements();
        units.forEach(unit -> new Values().scan(unit, null));
    }

    private static JavaCompiler compiler() {
        return Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "needs a JDK");
    }

    private static StandardJavaFileManager files(JavaCompiler compiler) {
        return compiler.getStandardFileManager(null, Locale.ROOT, null);
    }

    static Iterable<? extends JavaFileObject> below(List<Path> roots) throws IOException {
        List<Path> files = new ArrayList<>();
        for (Path root : roots) {
            try (var found = java.nio.file.Files.walk(root)) {
                found.filter(file -> file.toString().endsWith(".java")).forEach(files::add);
            }
        }
        return files(compiler()).getJavaFileObjectsFromPaths(files);
    }

    /** Of the test, whoever runs it. */
    private static String classPath() {
        String known = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        if (Thread.currentThread().getContextClassLoader() instanceof URLClassLoader loader) {
            return Arrays.stream(loader.getURLs()).map(URL::getPath).collect(Collectors.joining(File.pathSeparator));
        }
        return known;
    }

    /** What a variable is given anywhere, apart from parameters. */
    List<TreePath> valuesOf(Element variable) {
        return assigned.getOrDefault(variable, List.of());
    }

    /** What a method returns. */
    List<TreePath> resultsOf(ExecutableElement method) {
        return returned.getOrDefault(method, List.of());
    }

    /** What the cases of a switch yield. */
    List<TreePath> resultsOf(TreePath choice) {
        List<TreePath> results = new ArrayList<>();
        for (CaseTree each : ((SwitchExpressionTree) choice.getLeaf()).getCases()) {
            TreePath path = new TreePath(choice, each);
            if (each.getBody() instanceof ExpressionTree body) {
                results.add(new TreePath(path, body));
            } else if (!(each.getBody() instanceof ThrowTree)) {
                throw new IllegalStateException("Not known: the block of a case at " + place(path));
            }
        }
        return results;
    }

    String place(TreePath path) {
        CompilationUnitTree unit = path.getCompilationUnit();
        long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, path.getLeaf()));
        return "%s:%d".formatted(Path.of(unit.getSourceFile().getName()).getFileName(), line);
    }

    @Nullable
    Element element(TreePath path) {
        return trees.getElement(path);
    }

    private final class Values extends TreePathScanner<Void, Void> {

        @Override
        public Void visitVariable(VariableTree node, Void none) {
            ExpressionTree initializer = node.getInitializer();
            if (initializer != null) {
                add(assigned, element(getCurrentPath()), new TreePath(getCurrentPath(), initializer));
            }
            return super.visitVariable(node, null);
        }

        @Override
        public Void visitAssignment(AssignmentTree node, Void none) {
            Element variable = element(new TreePath(getCurrentPath(), node.getVariable()));
            add(assigned, variable, new TreePath(getCurrentPath(), node.getExpression()));
            return super.visitAssignment(node, null);
        }

        @Override
        public Void visitReturn(ReturnTree node, Void none) {
            Element method = method(getCurrentPath());
            ExpressionTree result = node.getExpression();
            if (method != null && result != null) {
                add(returned, method, new TreePath(getCurrentPath(), result));
            }
            return super.visitReturn(node, null);
        }

        /** Null for the return of a lambda. */
        private @Nullable Element method(TreePath path) {
            for (TreePath at = path; at != null; at = at.getParentPath()) {
                Tree leaf = at.getLeaf();
                if (leaf instanceof LambdaExpressionTree || leaf instanceof ClassTree) {
                    return null;
                }
                if (leaf instanceof MethodTree) {
                    return element(at);
                }
            }
            return null;
        }

        private void add(Map<Element, List<TreePath>> to, @Nullable Element key, TreePath value) {
            if (key != null) {
                to.computeIfAbsent(key, fresh -> new ArrayList<>()).add(value);
            }
        }
    }
}
