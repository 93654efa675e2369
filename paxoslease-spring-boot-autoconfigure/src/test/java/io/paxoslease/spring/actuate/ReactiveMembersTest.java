package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.autoconfigure.TestCell;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.catalina.startup.Tomcat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.DefaultResourceLoader;
import reactor.netty.http.server.HttpServer;

/** The members over HTTP where there are no servlets: an application with WebFlux, on each of the servers that it may run on. */
@Tag("slow")
@Tag("jdk")
@Timeout(60)
class ReactiveMembersTest {

    private static final String NEXT = "{\"peers\": \"n1=127.0.0.1:7401,n2=127.0.0.1:7402,n3=127.0.0.1:7403\"}";
    private static final String WITH_WHAT = NEXT.replace("}", ", \"what\": \"members\"}");

    /** What is posted below the endpoint, and is no change of the members. */
    private static final List<Map.Entry<String, String>> REFUSED = List.of(
            Map.entry("/others", WITH_WHAT),
            Map.entry("/others?what=members", NEXT),
            Map.entry("/others?what=members&what=members", NEXT),
            Map.entry("/members", WITH_WHAT),
            Map.entry("/members?what=members", NEXT));

    private final HttpClient http = HttpClient.newHttpClient();

    @TempDir
    private Path directory = Path.of("unset");

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class App {}

    private ConfigurableApplicationContext start(Class<?> absentServer, String... properties) {
        return new SpringApplicationBuilder(App.class)
                .resourceLoader(new DefaultResourceLoader(new FilteredClassLoader(absentServer)))
                .web(WebApplicationType.REACTIVE)
                .properties(new TestCell(2).propertiesOf("n1"))
                .properties(
                        "server.port=0",
                        "paxoslease.membership-store.file=" + file(),
                        "management.endpoints.web.exposure.include=leases",
                        "management.endpoint.leases.access=unrestricted",
                        "spring.main.banner-mode=off")
                .properties(properties)
                .run();
    }

    private Path file() {
        return directory.resolve("members");
    }

    private int status(URI leases, String method, String rest, @Nullable String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(leases + rest))
                .header("Content-Type", "application/json")
                .method(
                        method,
                        body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static URI leases(ConfigurableApplicationContext context, String port, String path) {
        return URI.create(
                "http://localhost:" + context.getEnvironment().getRequiredProperty("local." + port + ".port") + path);
    }

    /** On the application's port, below a path of the application, and on a port of the actuator's own. */
    @ParameterizedTest
    @CsvSource({
        "server,     /actuator/leases,        management.endpoints.web.exposure.include=leases",
        "server,     /app/actuator/leases,    spring.webflux.base-path=/app",
        "management, /actuator/leases,        management.server.port=0",
        "management, /manage/actuator/leases, management.server.port=0;management.server.base-path=/manage",
        "server,     /leases,                 management.endpoints.web.base-path=/",
        "server,     /x/cell,                 management.endpoints.web.base-path=/x;management.endpoints.web.path-mapping.leases=cell"
    })
    void onlyThePathOfTheMembersAsItIsWrittenIsTakenForIt(String port, String path, String settings) throws Exception {
        try (ConfigurableApplicationContext context = start(Tomcat.class, settings.split(";", -1))) {
            URI leases = leases(context, port, path);
            String first = Files.readString(file());
            assertThat(status(leases, "GET", "/members", null)).isEqualTo(200);
            for (String other : MembersPaths.OTHERS) {
                assertThat(status(leases, "GET", other, null))
                        .as("GET " + other)
                        .isIn(400, 404);
                assertThat(status(leases, "POST", other, NEXT))
                        .as("POST " + other)
                        .isIn(400, 404);
            }
            for (Map.Entry<String, String> refused : REFUSED) {
                assertThat(status(leases, "POST", refused.getKey(), refused.getValue()))
                        .as("POST " + refused)
                        .isEqualTo(400);
            }
            assertThat(Files.readString(file())).isEqualTo(first);
            assertThat(status(leases, "POST", "/members", NEXT)).isEqualTo(202);
            assertThat(Files.readString(file())).contains("generation=2");
        }
    }

    /**
     * Tomcat normalises paths in its own way. A refusal need not arrive: if a blocking endpoint throws, any endpoint, WebFlux
     * may interrupt the thread that still writes the error, and Tomcat then closes the connection.
     */
    @Test
    void onTomcatNoOtherPathIsTakenForThatOfTheMembers() throws Exception {
        try (ConfigurableApplicationContext context = start(HttpServer.class)) {
            URI leases = leases(context, "server", "/actuator/leases");
            String first = Files.readString(file());
            assertThat(status(leases, "GET", "/members", null)).isEqualTo(200);
            for (String other : MembersPaths.OTHERS) {
                assertIsNotAccepted(leases, other, NEXT);
            }
            for (Map.Entry<String, String> refused : REFUSED) {
                assertIsNotAccepted(leases, refused.getKey(), refused.getValue());
            }
            assertThat(Files.readString(file())).isEqualTo(first);
        }
    }

    private void assertIsNotAccepted(URI leases, String rest, String body) throws Exception {
        try {
            assertThat(status(leases, "POST", rest, body)).as("POST " + rest).isGreaterThanOrEqualTo(400);
        } catch (IOException closed) {
            // refused without an answer
        }
    }

    @Test
    void whatIsNotTheMembersIsNotPosted() throws Exception {
        try (ConfigurableApplicationContext context = start(Tomcat.class)) {
            URI leases = leases(context, "server", "/actuator/leases");
            assertThat(status(leases, "POST", "/others", NEXT)).isEqualTo(404);
            assertThat(status(leases, "POST", "", NEXT)).isEqualTo(404);
            assertThat(status(leases, "GET", "/role:x", null)).isEqualTo(400);
            assertThat(status(leases, "GET", "?resource=members", null)).isEqualTo(404);
            assertThat(status(leases, "DELETE", "/members", null)).isEqualTo(400);
            assertThat(status(leases, "DELETE", "?resource=members", null)).isEqualTo(404);
        }
    }
}
