package io.paxoslease.exploration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/** Loads production and test classes anew, with the changed sources of a {@link Mutant} compiled in their place. */
class MutantLoader extends ClassLoader {

    private static final String OURS = "io.paxoslease.";
    private static final List<String> MODULES =
            List.of("paxoslease-core", "paxoslease-flease", "paxoslease-storage", "paxoslease-jdbc", "paxoslease-test");

    private final Map<String, byte[]> changed;

    MutantLoader(Mutant mutant) throws IOException {
        super(MutantLoader.class.getClassLoader());
        this.changed = compile(mutant);
    }

    private static Map<String, byte[]> compile(Mutant mutant) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        for (Mutant.Change change : mutant.changes) {
            String source = sources.containsKey(change.file()) ? sources.get(change.file()) : read(change.file());
            if (!source.contains(change.from())) {
                throw new AssertionError("Mutant %s changes a text that %s does not contain any more: adapt it:%n%s"
                        .formatted(mutant, change.file(), change.from()));
            }
            sources.put(change.file(), source.replace(change.from(), change.to()));
        }
        return sources.isEmpty() ? Map.of() : compile(mutant, sources);
    }

    private static String read(String file) throws IOException {
        Path root = Path.of(System.getProperty("basedir", "."), "..");
        for (String module : MODULES) {
            Path source =
                    root.resolve(module).resolve("src/main/java/io/paxoslease").resolve(file);
            if (Files.exists(source)) {
                return Files.readString(source);
            }
        }
        throw new AssertionError("No module has %s: adapt the mutants that change it".formatted(file));
    }

    private static Map<String, byte[]> compile(Mutant mutant, Map<String, String> sources) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            Output output = new Output(files);
            List<Source> units = sources.entrySet().stream()
                    .map(entry -> new Source(entry.getKey(), entry.getValue()))
                    .toList();
            List<String> options =
                    List.of("-nowarn", "-proc:none", "-classpath", System.getProperty("java.class.path"));
            boolean compiled = compiler.getTask(problems, output, null, options, null, units)
                    .call();
            if (!compiled) {
                throw new AssertionError("Mutant " + mutant + " does not compile:\n" + problems);
            }
            Map<String, byte[]> result = new HashMap<>();
            output.classes.forEach((name, bytes) -> result.put(name, bytes.toByteArray()));
            return result;
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isLoadedAnew(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    boolean isLoadedAnew(String name) {
        return name.startsWith(OURS);
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        byte[] bytes = prepared(name, bytes(name));
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** What is loaded for that class. */
    byte[] prepared(String name, byte[] bytes) throws ClassNotFoundException {
        return bytes;
    }

    /** The class's bytes, as the mutant has them. */
    final byte[] bytes(String name) throws ClassNotFoundException {
        byte[] bytes = changed.get(name);
        return bytes == null ? original(name) : bytes;
    }

    private byte[] original(String name) throws ClassNotFoundException {
        try (@Nullable InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (in == null) {
                throw new ClassNotFoundException(name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("string:///io/paxoslease/" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

        Output(JavaFileManager manager) {
            super(manager);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("bytes:///" + className), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    classes.put(className, bytes);
                    return bytes;
                }
            };
        }
    }
}
