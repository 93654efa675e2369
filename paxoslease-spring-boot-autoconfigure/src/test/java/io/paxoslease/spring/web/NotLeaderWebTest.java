package io.paxoslease.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.paxoslease.AcquireOptions;
import io.paxoslease.PaxosLease;
import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.testing.InMemoryCell;
import jakarta.servlet.ServletException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

/** What the node 'a' of a cell of three answers to requests for the leader. */
@Timeout(60)
class NotLeaderWebTest {

    private final InMemoryCell cell = InMemoryCell.of("a", "b", "c");
    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withConfiguration(AutoConfigurations.of(PaxosLeaseWebAutoConfiguration.class))
            .withBean("node", PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""))
            .withUserConfiguration(BillingApps.Servlet.class);

    @AfterEach
    void close() {
        cell.close();
    }

    /** Another node holds the role's lease: as if it led. */
    private void leadBy(String node) throws InterruptedException {
        assertThat(cell.node(node).tryAcquire("role:billing", AcquireOptions.renewing()))
                .isPresent();
    }

    private static void awaitLeader(ApplicationContext context, String node) {
        LeaderLocator locator = context.getBean(LeaderLocator.class);
        await().until(() -> locator.find("billing")
                .filter(leader -> leader.nodeId().equals(node))
                .isPresent());
    }

    private static MockHttpServletResponse request(WebApplicationContext context, String path) throws Exception {
        return MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(get(URI.create(path)))
                .andReturn()
                .getResponse();
    }

    @Test
    void aFollowerSaysWhoLeadsAndWhenToAskAgain() throws Exception {
        leadBy("b");
        runner.withPropertyValues("paxoslease.http.url=http://{node-id}.app:8080/")
                .run(context -> {
                    awaitLeader(context, "b");
                    MockHttpServletResponse answer = request(context, "/bill");
                    assertThat(answer.getStatus()).isEqualTo(503);
                    assertThat(answer.getHeader("Retry-After")).isEqualTo("1");
                    assertThat(answer.getHeader("PaxosLease-Leader")).isEqualTo("b");
                    assertThat(answer.getContentType()).isEqualTo("application/problem+json");
                    assertThat(answer.getContentAsString())
                            .contains(
                                    "\"role\":\"billing\"", "\"leader\":\"b\"", "\"leaderUrl\":\"http://b.app:8080\"");
                });
    }

    @Test
    void withoutAKnownLeaderTheClientWaitsForAnElection() {
        cell.disconnect("a");
        runner.run(context -> {
            MockHttpServletResponse answer = request(context, "/bill");
            assertThat(answer.getStatus()).isEqualTo(503);
            assertThat(answer.getHeader("Retry-After"))
                    .isEqualTo(String.valueOf(
                            cell.node("a").monitor().options().leaseTime().toSeconds()));
            assertThat(answer.getHeader("PaxosLease-Leader")).isNull();
            assertThat(answer.getContentAsString()).doesNotContain("\"leader");
        });
    }

    /** The application contests it by a {@code LeaderElection} of its own. */
    @Test
    void aRoleThatNoBeanNamesIsAnsweredWithoutALeader() {
        runner.run(context -> {
            MockHttpServletResponse answer = request(context, "/mail");
            assertThat(answer.getStatus()).isEqualTo(503);
            assertThat(answer.getContentAsString())
                    .contains("\"role\":\"mail\"")
                    .doesNotContain("\"leader");
        });
    }

    @Test
    void aRedirectLeadsToTheSamePathOfTheLeader() throws Exception {
        leadBy("b");
        runner.withPropertyValues(
                        "paxoslease.http.url=http://{host}:8080",
                        "paxoslease.http.urls.b=https://billing.example/b",
                        "paxoslease.http.redirect=true")
                .run(context -> {
                    awaitLeader(context, "b");
                    MockHttpServletResponse answer = request(context, "/bill?to=a%2Fb");
                    assertThat(answer.getStatus()).isEqualTo(307);
                    assertThat(answer.getHeader("Location")).isEqualTo("https://billing.example/b/bill?to=a%2Fb");
                });
    }

    /** A redirect would repeat, by itself, what the request has done so far. */
    @Test
    void aRequestThatHadBegunIsNotRedirected() throws Exception {
        leadBy("b");
        runner.withPropertyValues("paxoslease.http.url=http://{node-id}", "paxoslease.http.redirect=true")
                .run(context -> {
                    awaitLeader(context, "b");
                    assertThat(request(context, "/begun").getStatus()).isEqualTo(503);
                });
    }

    @Test
    void theAnswerIsSwitchedOffByAProperty() {
        cell.disconnect("a");
        runner.withPropertyValues("paxoslease.http.enabled=false")
                .run(context -> assertThatThrownBy(() -> request(context, "/bill"))
                        .isInstanceOf(ServletException.class)
                        .hasRootCauseInstanceOf(NotLeaderException.class));
    }

    @Test
    void aReactiveApplicationAnswersTheSame() throws Exception {
        leadBy("b");
        ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
                .withConfiguration(AutoConfigurations.of(PaxosLeaseWebAutoConfiguration.class))
                .withBean("node", PaxosLease.class, () -> cell.node("a"), bean -> bean.setDestroyMethodName(""))
                .withPropertyValues("paxoslease.http.url=http://{node-id}")
                .withUserConfiguration(BillingApps.Reactive.class);
        reactive.run(context -> {
            awaitLeader(context, "b");
            ask(context, "/bill")
                    .expectStatus()
                    .isEqualTo(503)
                    .expectHeader()
                    .valueEquals("Retry-After", "1")
                    .expectHeader()
                    .valueEquals("PaxosLease-Leader", "b")
                    .expectHeader()
                    .contentType(MediaType.APPLICATION_PROBLEM_JSON);
        });
        reactive.withPropertyValues("paxoslease.http.redirect=true").run(context -> {
            awaitLeader(context, "b");
            ask(context, "/bill?to=a%2Fb")
                    .expectStatus()
                    .isEqualTo(307)
                    .expectHeader()
                    .location("http://b/bill?to=a%2Fb");
        });
    }

    private static WebTestClient.ResponseSpec ask(ApplicationContext context, String path) {
        return WebTestClient.bindToApplicationContext(context)
                .build()
                .get()
                .uri(URI.create(path))
                .exchange();
    }

    @Test
    void aWrongUrlStopsTheStart() {
        Map.of(
                        "paxoslease.http.url=b:8080", "paxoslease.http.url",
                        "paxoslease.http.url=http://{name}:8080", "{node-id}",
                        "paxoslease.http.urls.b=http://b?x=1", "paxoslease.http.urls.b",
                        "paxoslease.http.redirect=true", "paxoslease.http.redirect")
                .forEach((property, expected) -> runner.withPropertyValues(property)
                        .run(context ->
                                assertThat(context).getFailure().rootCause().hasMessageContaining(expected)));
    }
}
