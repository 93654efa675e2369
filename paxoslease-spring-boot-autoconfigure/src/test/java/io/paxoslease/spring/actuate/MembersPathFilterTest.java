package io.paxoslease.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import java.net.URI;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.core.publisher.Mono;

/** Where there are no servlets, the path of the members is still taken only as it is written. */
class MembersPathFilterTest {

    private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(PaxosLeaseTestSupport.autoConfigurations()))
            .withConfiguration(AutoConfigurations.of(
                    EndpointAutoConfiguration.class,
                    WebEndpointAutoConfiguration.class,
                    PaxosLeaseEndpointAutoConfiguration.class))
            .withPropertyValues("paxoslease.standalone=true", "management.endpoints.web.exposure.include=leases");

    @Test
    void aPathThatIsThatOfTheMembersOnlyOnceItIsDecodedIsRefused() {
        runner.run(context -> {
            MembersPathFilter filter = context.getBean(MembersPathFilter.class);
            assertThat(passes(filter, "/actuator/leases/members")).isTrue();
            assertThat(passes(filter, "/actuator/leases/role:billing")).isTrue();
            assertThat(passes(filter, "/api/%6dembers;a=b")).isTrue();
            for (String other : MembersPaths.OTHERS) {
                boolean isResolvedByNoServer = other.contains("/.") || other.contains("%2e");
                assertThat(passes(filter, "/actuator/leases" + other)).as(other).isEqualTo(isResolvedByNoServer);
            }
            assertThat(passes(filter, "/actuator;x/leases/members")).isFalse();
            assertThat(passes(filter, "/actuator/%6ceases/members")).isFalse();
        });
    }

    @Test
    void itKnowsTheEndpointByThePathThatIsConfigured() {
        runner.withPropertyValues(
                        "management.endpoints.web.base-path=/manage",
                        "management.endpoints.web.path-mapping.leases=cell")
                .run(context -> {
                    MembersPathFilter filter = context.getBean(MembersPathFilter.class);
                    assertThat(passes(filter, "/manage/cell/members")).isTrue();
                    assertThat(passes(filter, "/manage/cell/%6dembers")).isFalse();
                    assertThat(passes(filter, "/actuator/leases/%6dembers")).isTrue();
                });
    }

    private static boolean passes(MembersPathFilter filter, String path) {
        AtomicBoolean passed = new AtomicBoolean();
        MockServerWebExchange exchange = MockServerWebExchange.from(
                MockServerHttpRequest.method(HttpMethod.POST, URI.create("http://localhost" + path))
                        .build());
        filter.filter(exchange, same -> Mono.fromRunnable(() -> passed.set(true)))
                .block();
        assertThat(exchange.getResponse().getStatusCode()).isEqualTo(passed.get() ? null : HttpStatus.BAD_REQUEST);
        return passed.get();
    }
}
