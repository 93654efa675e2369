package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.ModuleResources;
import java.io.IOException;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.loading.ClassLoadingStrategy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.mock.env.MockEnvironment;

class StandaloneByDefaultTest {

    private static final String PROPERTY = "paxoslease.standalone";

    private static MockEnvironment environment(String... properties) {
        MockEnvironment environment = new MockEnvironment();
        for (String property : properties) {
            int equals = property.indexOf('=');
            environment.setProperty(property.substring(0, equals), property.substring(equals + 1));
        }
        return environment;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "paxoslease.lease-time=2s",
                "paxoslease.cell=shop",
                "paxoslease.mode=client",
                "paxoslease.node-id=a",
                "paxoslease.algorithm=flease",
                "paxoslease.peers-of-mine=a"
            })
    void anApplicationThatNamesNoCellIsStandalone(String property) {
        MockEnvironment environment = environment(property);
        StandaloneByDefault.apply(environment, "here");

        assertThat(environment.getProperty(PROPERTY)).isEqualTo("true");
        assertThat(StandaloneByDefault.in(environment)).isEqualTo("here");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "paxoslease.peers.a=10.0.0.1:7400",
                "paxoslease.peers=a=10.0.0.1:7400",
                "paxoslease.peers[Node_1]=10.0.0.1:7400",
                "paxoslease.contact-points=10.0.0.1:7400",
                "paxoslease.contact-points[0]=10.0.0.1:7400",
                "paxoslease.algorithm=storage",
                "paxoslease.algorithm=STORAGE",
                "paxoslease.standalone=false"
            })
    void anApplicationThatNamesOneIsAsItSays(String property) {
        MockEnvironment environment = environment(property);
        StandaloneByDefault.apply(environment, "here");

        assertThat(environment.getProperty(PROPERTY)).isIn(null, "false");
        assertThat(StandaloneByDefault.in(environment)).isNull();
    }

    @Test
    void anApplicationThatIsStandaloneAnywayIsNotToldSo() {
        MockEnvironment environment = environment("paxoslease.standalone=true");
        StandaloneByDefault.apply(environment, "here");

        assertThat(StandaloneByDefault.in(environment)).isNull();
    }

    @Test
    void devToolsAreLookedForAtEachStart() throws IOException {
        assertThat(ModuleResources.read("META-INF/spring.factories"))
                .contains("org.springframework.boot.EnvironmentPostProcessor=\\\n"
                        + StandaloneWithDevTools.class.getName());
    }

    @Test
    void devToolsThatRestartTheApplicationMakeItStandalone() throws Exception {
        ClassLoader restarting = new ByteBuddy()
                .subclass(ClassLoader.class)
                .name("org.springframework.boot.devtools.restart.classloader.RestartClassLoader")
                .make()
                .load(getClass().getClassLoader(), ClassLoadingStrategy.Default.WRAPPER)
                .getLoaded()
                .getConstructor(ClassLoader.class)
                .newInstance(getClass().getClassLoader());

        assertThat(standaloneIn(restarting)).isEqualTo("under DevTools");
        assertThat(standaloneIn(new ClassLoader(restarting) {})).isEqualTo("under DevTools");
        assertThat(standaloneIn(getClass().getClassLoader())).isNull();
    }

    private static @Nullable String standaloneIn(ClassLoader loader) {
        SpringApplication application = new SpringApplication(new DefaultResourceLoader(loader));
        MockEnvironment environment = environment();
        new StandaloneWithDevTools().postProcessEnvironment(environment, application);
        return StandaloneByDefault.in(environment);
    }
}
