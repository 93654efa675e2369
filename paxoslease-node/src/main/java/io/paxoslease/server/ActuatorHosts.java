package io.paxoslease.server;

import io.paxoslease.PaxosLease;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Checks the host of every request to the actuator, also if the actuator has a port of its own ({@code management.server.port}). */
@ManagementContextConfiguration(proxyBeanMethods = false)
class ActuatorHosts {

    private static final String PROPERTY = "paxoslease-node.allowed-hosts";

    @Bean
    FilterRegistrationBean<HostFilter> hostFilter(Environment environment, ObjectProvider<PaxosLease> node) {
        List<String> more = Binder.get(environment)
                .bind(PROPERTY, Bindable.listOf(String.class))
                .orElse(List.of());
        FilterRegistrationBean<HostFilter> filter =
                new FilterRegistrationBean<>(new HostFilter(new AllowedHosts(node::getObject, more), PROPERTY));
        filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
        return filter;
    }
}
