package io.paxoslease.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.autoconfigure.TestCell;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.leader.LeaderLocator;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.context.WebApplicationContext;

/** A client leads and advertises its base URL with its lease; a member that follows uses it, over TCP. */
@Tag("slow")
@Timeout(120)
class AdvertisedUrlTest {

    private static final String REDIRECT = "paxoslease.http.redirect=true";
    private static final String NOT_HERE = "paxoslease.roles.billing.eligible=false";
    private static final String ADVERTISED = "paxoslease.advertise.url=http://client-7.shop.svc:8080/api/";

    private final TestCell cell = new TestCell(1);
    private final WebApplicationContextRunner member = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withConfiguration(AutoConfigurations.of(PaxosLeaseWebAutoConfiguration.class))
            .withPropertyValues(cell.propertiesOf("n1"))
            .withPropertyValues("paxoslease.clients.max=1", NOT_HERE)
            .withUserConfiguration(BillingApps.Servlet.class);
    private final ApplicationContextRunner client = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withPropertyValues(cell.propertiesOf("client"))
            .withPropertyValues("paxoslease.mode=client", "paxoslease.roles.billing.eligible=true");

    private static MockHttpServletResponse request(WebApplicationContext context) throws Exception {
        return MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(post(URI.create("/bill?to=x")))
                .andReturn()
                .getResponse();
    }

    private static void awaitLeader(WebApplicationContext context) {
        LeaderLocator locator = context.getBean(LeaderLocator.class);
        await().atMost(Duration.ofSeconds(60)).until(() -> locator.find("billing")
                .filter(leader -> leader.nodeId().equals("client"))
                .isPresent());
    }

    private void whileTheClientLeads(String allowed, String advertised, Check check) {
        member.withPropertyValues(REDIRECT, "paxoslease.http.allowed-urls=" + allowed)
                .run(follower -> client.withPropertyValues(advertised).run(leader -> {
                    LeaderElections elections = leader.getBean(LeaderElections.class);
                    await().atMost(Duration.ofSeconds(60)).until(() -> elections.isLeader("billing"));
                    awaitLeader(follower);
                    check.on(follower, leader.getBean(LeaderLocator.class));
                }));
    }

    private interface Check {
        void on(WebApplicationContext follower, LeaderLocator leader) throws Exception;
    }

    @Test
    void aRedirectFollowsTheUrlThatAClientAdvertises() {
        whileTheClientLeads("http://*.shop.svc:8080", ADVERTISED, (follower, leader) -> {
            MockHttpServletResponse answer = request(follower);
            assertThat(answer.getStatus()).isEqualTo(307);
            assertThat(answer.getHeader("Location")).isEqualTo("http://client-7.shop.svc:8080/api/bill?to=x");
            assertThat(leader.find("billing").orElseThrow().baseUrl())
                    .as("the leader's own")
                    .isEqualTo(URI.create("http://client-7.shop.svc:8080/api"));
        });
    }

    @Test
    void whatIsNotAllowedIsNotFollowed() {
        whileTheClientLeads("http://*.shop.svc:8081", ADVERTISED, (follower, leader) -> {
            MockHttpServletResponse answer = request(follower);
            assertThat(answer.getStatus()).isEqualTo(503);
            assertThat(answer.getHeader("Location")).isNull();
            assertThat(answer.getContentAsString())
                    .contains("\"leader\":\"client\"")
                    .doesNotContain("client-7");
        });
    }

    /** The order: by id, advertised, template. */
    @Test
    void theUrlThatIsConfiguredForTheIdComesFirst() {
        member.withPropertyValues(
                        REDIRECT,
                        "paxoslease.http.allowed-urls=http://*.shop.svc:8080",
                        "paxoslease.http.urls.client=https://edge.example")
                .run(follower -> client.withPropertyValues(ADVERTISED).run(leader -> {
                    awaitLeader(follower);
                    assertThat(request(follower).getHeader("Location")).isEqualTo("https://edge.example/bill?to=x");
                }));
    }

    @Test
    void aUrlThatIsNoneStopsTheStart() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.advertise.url=client-7:8080")
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("paxoslease.advertise.url"));
    }

    @Test
    void anAlgorithmWithoutNotesRefusesIt() {
        PaxosLeaseTestSupport.runner()
                .withPropertyValues("paxoslease.algorithm=storage", ADVERTISED)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("paxoslease.advertise.url")
                        .hasMessageContaining("paxoslease.http.urls.<id>"));
    }
}
