package io.paxoslease.spring.autoconfigure;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.spring.web.NotLeaderReactiveAdvice;
import io.paxoslease.spring.web.NotLeaderResponses;
import io.paxoslease.spring.web.NotLeaderServletAdvice;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ProblemDetail;

/** Answers requests that only the leader can serve, on the other instances. */
@AutoConfiguration(after = PaxosLeaseLeaderAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ProblemDetail.class)
@ConditionalOnBean({PaxosLease.class, LeaderLocator.class})
@ConditionalOnBooleanProperty(name = "paxoslease.http.enabled", matchIfMissing = true)
@EnableConfigurationProperties(PaxosLeaseProperties.class)
public final class PaxosLeaseWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    NotLeaderResponses notLeaderResponses(LeaderLocator leaders, PaxosLease node, PaxosLeaseProperties properties) {
        return new NotLeaderResponses(
                leaders, properties.http().redirect(), node.options().leaseTime());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
    static class Servlet {

        @Bean
        @ConditionalOnMissingBean
        NotLeaderServletAdvice notLeaderServletAdvice(NotLeaderResponses responses) {
            return new NotLeaderServletAdvice(responses);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(name = "org.springframework.web.reactive.DispatcherHandler")
    static class Reactive {

        @Bean
        @ConditionalOnMissingBean
        NotLeaderReactiveAdvice notLeaderReactiveAdvice(NotLeaderResponses responses) {
            return new NotLeaderReactiveAdvice(responses);
        }
    }
}
