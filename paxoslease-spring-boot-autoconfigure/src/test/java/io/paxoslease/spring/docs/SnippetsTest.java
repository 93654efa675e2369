package io.paxoslease.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.docs.Pages.Snippet;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every piece of Java on a page compiles with the imports that the page shows. */
@Tag("slow")
class SnippetsTest {

    private final SnippetCompiler compiler = new SnippetCompiler();

    static List<Snippet> java() throws IOException {
        return Pages.snippets("java");
    }

    @ParameterizedTest
    @MethodSource("java")
    void compiles(Snippet snippet) {
        assertThat(compiler.errors(snippet)).isEmpty();
    }

    @Test
    void theSnippetsAreFound() throws IOException {
        assertThat(java())
                .extracting(Snippet::page)
                .contains("README.md", "docs/on-leader.md", "docs/operations/changing.md");
    }

    @Test
    void whatIsWrongIsFoundWithItsLine() {
        assertThat(compiler.errors(new Snippet("page.md", 10, "class A {}\nclass B extends C {}\n")))
                .singleElement()
                .asString()
                .startsWith("page.md:11: cannot find symbol");
        assertThat(compiler.errors(new Snippet("page.md", 10, "List<String> names = null;\n")))
                .as("an import that is missing")
                .hasSize(1);
        assertThat(compiler.errors(new Snippet("page.md", 10, "new Thread(() -> {}).stop();\n")))
                .as("what is deprecated")
                .isNotEmpty();
        assertThat(compiler.errors(new Snippet("page.md", 10, "int one() { ... }\nvoid two() {}\n")))
                .isEmpty();
        assertThat(compiler.errors(new Snippet("page.md", 10, "int one = 1;\none++;\n")))
                .isEmpty();
    }
}
