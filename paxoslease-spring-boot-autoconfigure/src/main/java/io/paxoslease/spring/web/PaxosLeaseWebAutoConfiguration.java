package io.paxoslease.spring.web;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.leader.LeaderLocator;
import io.paxoslease.spring.leader.PaxosLeaseLeaderAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.ProblemDetail;

/** Answers requests that only the leader can serve, on the other instances. */
@AutoConfiguration(after = PaxosLeaseLeaderAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ProblemDetail.class)
@ConditionalOnBean({PaxosLease.class, LeaderLocator.class})
@ConditionalOnBooleanProperty(name = "paxoslease.http.enabled", matchIfMissing = true)
final class PaxosLeaseWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    NotLeaderResponses notLeaderResponses(LeaderLocator leaders, PaxosLease node, Environment environment) {
        boolean redirect = Binder.get(environment)
                .bind("paxoslease.http.redirect", Boolean.class)
                .orElse(false);
        return new NotLeaderResponses(
                leaders, redirect, node.monitor().options().leaseTime());
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
