package io.paxoslease.spring.docs;

import java.io.File;
import java.net.URI;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles what a page shows: whole classes, members of a class, or statements. A snippet has the imports of all
 * that it uses; {@link ReadersCode} and {@code ReadersTests} alone are imported for it. A body of {@code ...} compiles to one that throws.
 */
final class SnippetCompiler {

    private static final Pattern IMPORT = Pattern.compile("(?m)^import [^;]+;\\R?");
    private static final Pattern LEFT_OUT = Pattern.compile("\\{ \\.\\.\\. }");
    private static final String IN_FRONT = """
            import io.paxoslease.spring.docs.ReadersCode.*;
            import static io.paxoslease.spring.docs.ReadersCode.*;
            import static io.paxoslease.spring.docs.ReadersTests.*;
            """;

    private static final List<String> SOURCES = List.of(
            "paxoslease-spring-boot-test/src/main/java",
            "paxoslease-testcontainers/src/main/java",
            "paxoslease-spring-boot-autoconfigure/src/test/snippets");

    private final JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "needs a JDK");

    /** What the compiler says of it, with its lines counted from the page's; empty if it compiles. */
    List<String> errors(Pages.Snippet snippet) {
        StringBuilder imports = new StringBuilder();
        Matcher matcher = IMPORT.matcher(snippet.text());
        while (matcher.find()) {
            imports.append(matcher.group());
        }
        String body = LEFT_OUT.matcher(IMPORT.matcher(snippet.text()).replaceAll("\n"))
                .replaceAll("{ throw new UnsupportedOperationException(); }");
        String before = IN_FRONT + imports;
        return List.of(
                        errors(snippet, before, body, ""),
                        errors(snippet, before + "class Snippet {\n", body, "}"),
                        errors(snippet, before + "class Snippet { void run() throws Exception {\n", body, "}}"))
                .stream()
                .min(Comparator.comparingInt(List::size))
                .orElseThrow();
    }

    private List<String> errors(Pages.Snippet snippet, String before, String body, String after) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, Locale.ROOT, null);
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        compiler.getTask(
                        null,
                        new Discarding(files),
                        diagnostics,
                        List.of(
                                "-classpath",
                                classPath,
                                "-sourcepath", // modules that depend on this one
                                SOURCES.stream()
                                        .map(each -> Pages.ROOT.resolve(each).toString())
                                        .collect(Collectors.joining(File.pathSeparator)),
                                "-proc:none",
                                "-parameters",
                                "-Xlint:deprecation,removal,unchecked"),
                        null,
                        List.of(new Source(before + body + after)))
                .call();
        long shift = snippet.line() - before.lines().count() - 1;
        List<String> errors = new ArrayList<>();
        for (Diagnostic<? extends JavaFileObject> each : diagnostics.getDiagnostics()) {
            if (each.getKind() != Diagnostic.Kind.NOTE
                    && !String.valueOf(each.getCode()).startsWith("compiler.warn.annotation")) {
                errors.add("%s:%d: %s"
                        .formatted(snippet.page(), each.getLineNumber() + shift, each.getMessage(Locale.ROOT)));
            }
        }
        return errors;
    }

    /** A source in memory; a public class in it may have any name. */
    private static final class Source extends SimpleJavaFileObject {

        private final String text;

        Source(String text) {
            super(URI.create("string:///Snippet.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String simpleName, Kind kind) {
            return true;
        }
    }

    /** Writes class files nowhere. */
    private static final class Discarding extends ForwardingJavaFileManager<JavaFileManager> {

        Discarding(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(
                    URI.create("string:///" + className.replace('.', '/') + kind.extension), kind) {
                @Override
                public java.io.OutputStream openOutputStream() {
                    return java.io.OutputStream.nullOutputStream();
                }
            };
        }
    }
}
