package io.paxoslease.spring.test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Revokes the roles and shards that a test was granted when the test ends. Registered for all tests; does nothing without a
 * {@link TestLeadership}.
 */
final class TestLeadershipReset implements TestExecutionListener {

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            ApplicationContext context = test.getApplicationContext();
            if (!(context instanceof ConfigurableApplicationContext closable) || closable.isActive()) {
                try {
                    context.getBeanProvider(TestLeadership.class)
                            .ifAvailable(TestLeadership::reset); // first: it reconnects the node
                } finally {
                    context.getBeanProvider(TestShards.class).ifAvailable(TestShards::reset);
                }
            }
        }
    }
}
