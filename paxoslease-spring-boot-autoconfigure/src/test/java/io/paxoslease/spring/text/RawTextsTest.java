package io.paxoslease.spring.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No resource, role, id or other text from outside is logged as it came, by itself or in the message of an exception. */
@Tag("slow")
class RawTextsTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @Test
    void noTextFromOutsideIsLoggedAsItCame() throws IOException {
        List<Path> roots = Stream.of(
                        "paxoslease-core",
                        "paxoslease-flease",
                        "paxoslease-jdbc",
                        "paxoslease-storage",
                        "paxoslease-test",
                        "paxoslease-spring-boot-autoconfigure",
                        "paxoslease-node")
                .map(module -> ROOT.resolve(module).resolve("src/main/java"))
                .toList();
        assertThat(new RawTexts(new Sources(Sources.below(roots))).find()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log.info(\"lost '{}'\", resource)",
                "log.info(resource)",
                "log.info(\"lost \" + resource)",
                "log.debug(\"lost {}\", resource.strip())",
                "log.debug(\"lost {} of {}\", 7, resource, failure)",
                "log.warn(\"lost %s\".formatted(resource))",
                "log.warn(\"{}\", held ? \"nothing\" : resource)",
                "log.warn(\"{}\", List.of(resource))",
                "log.warn(\"{}\", new Lost(resource, 7))",
                "log.warn(\"{}\", lost)",
                "log.warn(\"{}\", failure.getMessage())",
                "log.warn(\"{}\", local())",
                "log.atWarn().addKeyValue(\"resource\", resource).log(\"lost\")",
                "log.atWarn().log(\"lost {}\", resource)",
                "log.error(\"{}\", switch (token) { case 1 -> \"one\"; default -> resource; })",
                "throw new IllegalStateException(\"'%s' is lost\".formatted(resource))",
                "throw new IllegalStateException(\"lost: \" + failure.getMessage(), failure)",
                "String line = \"lost \" + resource; log.info(\"{}\", line)",
            })
    void aTextThatIsLoggedAsItCameIsFound(String statement) throws IOException {
        assertThat(found(statement)).hasSize(1).allMatch(line -> line.contains("write Printable.name(...)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "log.info(\"lost '{}'\", Printable.name(resource))",
                "log.info(\"lost \" + Printable.name(resource) + token)",
                "log.warn(\"lost %s %d\".formatted(Printable.name(resource), token))",
                "log.warn(\"{} {}\", token, held, failure)",
                "log.warn(\"{}\", Printable.text(failure.getMessage()))",
                "log.warn(\"{}\", held ? \"nothing\" : Printable.name(resource))",
                "log.warn(\"{}\", new Kept(Printable.name(resource), 7))",
                "log.warn(\"{}\", List.of(token))",
                "log.warn(\"{}\", NodeMode.CLIENT)",
                "log.warn(\"{}\", Duration.ofSeconds(token))",
                "log.atWarn().addKeyValue(\"resource\", Printable.name(resource)).log(\"lost\")",
                "String line = \"lost \" + Printable.name(resource); log.info(\"{}\", line)",
                "throw new IllegalStateException(\"'%s' is lost\".formatted(Printable.name(resource)))",
            })
    void aTextThatIsPrintableIsNot(String statement) throws IOException {
        assertThat(found(statement)).isEmpty();
    }

    private static List<String> found(String statement) throws IOException {
        String text = """
                package io.paxoslease.planted;
                import io.paxoslease.NodeMode;
                import io.paxoslease.protocol.Printable;
                import java.time.Duration;
                import java.util.List;
                import org.slf4j.Logger;

                class Planted {
                    record Lost(String resource, int token) {}
                    record Kept(String resource, int token) {
                        @Override public String toString() { return "lease of " + token; }
                    }
                    String resource = System.getProperty("a");
                    String local() { return resource; }
                    void run(Logger log, int token, boolean held, Lost lost, Exception failure) {
                        %s;
                    }
                }
                """.formatted(statement);
        return new RawTexts(new Sources(List.of(new Planted(text)))).find();
    }

    private static final class Planted extends SimpleJavaFileObject {

        private final String text;

        Planted(String text) {
            super(URI.create("string:///Planted.java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
