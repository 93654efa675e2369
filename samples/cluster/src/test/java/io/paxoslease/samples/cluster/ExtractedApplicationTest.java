package io.paxoslease.samples.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That an executable jar is extracted is tested with the sample itself. */
class ExtractedApplicationTest {

    private final Path directory;

    ExtractedApplicationTest(@TempDir Path directory) {
        this.directory = directory;
    }

    @Test
    void directoriesOfClassesAreUsedAsTheyAre() throws Exception {
        String classPath = "classes" + File.pathSeparator + "lib/other.jar";
        ExtractedApplication application = ExtractedApplication.begin(classPath, directory.resolve("application"));
        assertThat(application.isPackaged()).isFalse();
        assertThat(application.command(List.of("-Xmx1m")))
                .containsSubsequence("-Xmx1m", "-cp", classPath, ClusterLauncher.class.getName());
        application.delete();
    }

    @Test
    void aJarThatCannotBeExtractedIsUsedAsItIs() throws Exception {
        Path jar = emptyJar();
        ExtractedApplication application = ExtractedApplication.begin(jar.toString(), directory.resolve("application"));
        assertThat(application.command(List.of("-Xmx1m"))).containsSubsequence("-Xmx1m", "-jar", jar.toString());
    }

    @Test
    void nothingOfItIsLeft() throws Exception {
        Path files = Files.createDirectories(directory.resolve("application").resolve("lib"));
        Files.writeString(files.resolve("library.jar"), "");
        ExtractedApplication.begin("classes", directory.resolve("application")).delete();
        assertThat(directory).isEmptyDirectory();
    }

    private Path emptyJar() throws IOException {
        Path jar = directory.resolve("empty.jar");
        new JarOutputStream(Files.newOutputStream(jar), new Manifest()).close();
        return jar;
    }
}
