package io.paxoslease.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.testing.InMemoryCell;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;

/** No node id of the leader sends a request, or a caller of {@link LeaderLocator}, to a host that the configuration does not name. */
@Tag("slow")
@Timeout(60)
class LeaderUrlTest {

    private static final String TEMPLATE = "paxoslease.http.url=http://{node-id}.shop:8080";
    private static final String REDIRECT = "paxoslease.http.redirect=true";

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final WebApplicationContextRunner servlets = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withConfiguration(AutoConfigurations.of(PaxosLeaseWebAutoConfiguration.class))
            .withBean("node", PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""))
            .withUserConfiguration(BillingApps.Servlet.class);

    @AfterEach
    void close() {
        cell.close();
    }

    private void leadAsClient(String id) throws InterruptedException {
        assertThat(cell.addClient(id).tryAcquire("role:billing", AcquireOptions.renewing()))
                .isPresent();
    }

    private static LeaderLocator awaitLeader(ApplicationContext context, String node) {
        LeaderLocator locator = context.getBean(LeaderLocator.class);
        await().until(() -> locator.find("billing")
                .filter(leader -> leader.nodeId().equals(node))
                .isPresent());
        return locator;
    }

    private static void assertHasNoUrl(ApplicationContext context, String id) {
        assertThat(awaitLeader(context, id).find("billing").orElseThrow().baseUrl())
                .isNull();
    }

    private static MockHttpServletResponse request(WebApplicationContext context, String path) throws Exception {
        return MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(post(URI.create(path)))
                .andReturn()
                .getResponse();
    }

    private static void assertNotRedirected(MockHttpServletResponse answer) throws Exception {
        assertThat(answer.getStatus()).isEqualTo(503);
        assertThat(answer.getHeader("Location")).isNull();
        assertThat(answer.getContentAsString()).doesNotContain("leaderUrl");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example/",
                "evil.example#",
                "evil.example?",
                "evil.example/?x=",
                "user@evil.example/",
                "evil.example:80/",
                "evil.example:80#",
                "evil.example\\",
                "evil.example%2f",
                "evil.example",
                "EVIL.example/",
                "évil.example/",
                "evil。example/",
                "[::1]/",
                "shop@vm-x",
                "-x",
                "x-",
                "0123456789012345678901234567890123456789012345678901234567890123"
            })
    void aClientThatLeadsSendsNobodyToTheHostThatItIsCalled(String id) throws Exception {
        leadAsClient(id);
        servlets.withPropertyValues(TEMPLATE, REDIRECT).run(context -> {
            assertHasNoUrl(context, id);
            assertNotRedirected(request(context, "/bill"));
        });
    }

    /** What a client calls itself is its own choice: it could take the name of another host of the same suffix. */
    @Test
    void aClientHasNoUrlByTheTemplateAlsoIfItsIdIsAHostName() throws Exception {
        leadAsClient("jenkins");
        servlets.withPropertyValues(TEMPLATE, REDIRECT).run(context -> {
            assertHasNoUrl(context, "jenkins");
            assertNotRedirected(request(context, "/bill"));
        });
    }

    @Test
    void aClientHasTheUrlThatTheConfigurationGivesIt() throws Exception {
        leadAsClient("shop@vm-x");
        servlets.withPropertyValues(TEMPLATE, REDIRECT, "paxoslease.http.urls[shop@vm-x]=http://vm-x:8080")
                .run(context -> {
                    awaitLeader(context, "shop@vm-x");
                    assertThat(request(context, "/bill").getHeader("Location")).isEqualTo("http://vm-x:8080/bill");
                });
    }

    @Test
    void aReactiveApplicationDoesNotRedirectToItEither() throws Exception {
        leadAsClient("evil.example/");
        new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                .withConfiguration(AutoConfigurations.of(PaxosLeaseWebAutoConfiguration.class))
                .withBean("node", PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""))
                .withPropertyValues(TEMPLATE, REDIRECT)
                .withUserConfiguration(BillingApps.Reactive.class)
                .run(context -> {
                    assertHasNoUrl(context, "evil.example/");
                    MockServerHttpResponse answer = new MockServerHttpResponse();
                    WebHttpHandlerBuilder.applicationContext(context)
                            .build()
                            .handle(
                                    MockServerHttpRequest.method(HttpMethod.POST, "/bill")
                                            .build(),
                                    answer)
                            .block();
                    assertThat(answer.getStatusCode()).hasToString("503 SERVICE_UNAVAILABLE");
                    assertThat(answer.getHeaders().getLocation()).isNull();
                });
    }

    /** Ids of members are configuration too, but need not be names of hosts. */
    @ParameterizedTest
    @CsvSource({
        "m.evil.example/, http://{node-id}.shop:8080,",
        "m.x,             http://{node-id}.shop:8080,",
        "Node_1,          http://{node-id}.shop:8080,",
        "m/../admin,      http://gateway/{node-id}/app,",
        "m%2f,            http://gateway/{node-id}/app,",
        "..,              http://gateway/{node-id}/app,",
        "m,               http://gateway/{node-id}/app, http://gateway/m/app",
        "m-7,             http://{node-id}.shop:8080,   http://m-7.shop:8080",
        "M,               https://app-{node-id}.shop/x, https://app-M.shop/x",
        "m,               http://{node-id},             http://m",
        "1,               http://{node-id},",
        "m,               http://{host}:8080,           http://in-memory:8080",
    })
    void aMemberHasAUrlIfItsIdIsOneLabelOfAHost(String id, String template, String url) throws Exception {
        try (InMemoryCell other = InMemoryCell.of("a", id)) {
            assertThat(other.node(id).tryAcquire("role:billing", AcquireOptions.renewing()))
                    .isPresent();
            new WebApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                    .withBean("node", PaxosLease.class, () -> other.node("a"), bean -> bean.setDestroyMethodName(""))
                    .withUserConfiguration(BillingApps.Controllers.class)
                    .withPropertyValues("paxoslease.http.url=" + template)
                    .run(context -> assertThat(awaitLeader(context, id)
                                    .find("billing")
                                    .orElseThrow()
                                    .baseUrl())
                            .isEqualTo(url == null ? null : URI.create(url)));
        }
    }

    /** They have no members: each has access to the store, and names itself. */
    @ParameterizedTest
    @CsvSource({
        "m,             http://{node-id}.shop:8080, http://m.shop:8080",
        "evil.example/, http://{node-id}.shop:8080,",
        "m,             http://{host}.shop:8080,",
        "m,             http://gateway/{host}/x,",
    })
    void anInstanceThatSharesAStoreHasAUrlIfItsIdIsOneLabelOfAHost(String id, String template, String url) {
        Duration leaseTime = Duration.ofSeconds(5);
        try (InMemoryCell stored = InMemoryCell.of(
                StorageOptions.builder(new InMemoryRegister())
                        .accessBound(Duration.ofMillis(100))
                        .build(),
                leaseTime,
                leaseTime,
                "a",
                id)) {
            stored.node(id).acquire("role:billing", AcquireOptions.renewing());
            await().until(
                            () -> { // before the application, which contests the role
                                stored.advance(Duration.ofMillis(100));
                                return stored.node(id).monitor().heldLeases() == 1;
                            });
            new WebApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                    .withBean("node", PaxosLease.class, () -> stored.node("a"), bean -> bean.setDestroyMethodName(""))
                    .withUserConfiguration(BillingApps.Controllers.class)
                    .withPropertyValues("paxoslease.http.url=" + template)
                    .run(context -> {
                        LeaderLocator locator = context.getBean(LeaderLocator.class);
                        await().until(() -> {
                            stored.advance(Duration.ofMillis(100));
                            return locator.find("billing").isPresent();
                        });
                        assertThat(locator.find("billing").orElseThrow().baseUrl())
                                .isEqualTo(url == null ? null : URI.create(url));
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://{node-id}@shop:8080",
                "http://user:password@{node-id}.shop",
                "http://shop:{node-id}",
                "{node-id}://shop",
                "http://{node-id}.{node-id}@shop",
            })
    void aTemplateThatLetsAnIdBeAnythingButAHostOrAPathStopsTheStart(String template) {
        servlets.withPropertyValues("paxoslease.http.url=" + template)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("paxoslease.http.url"));
    }
}
