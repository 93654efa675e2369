package io.paxoslease.spring.test;

import io.paxoslease.spring.autoconfigure.StandaloneByDefault;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Lets an application that configures no cell start in tests, standalone. */
final class StandaloneInTests implements ContextCustomizerFactory {

    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        return new Customizer();
    }

    /** Equal to every other one, so that contexts are shared among tests. */
    private record Customizer() implements ContextCustomizer {

        /** Not at once: a test may still add properties. */
        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
            context.addBeanFactoryPostProcessor(
                    beans -> StandaloneByDefault.apply(context.getEnvironment(), "in this test"));
        }
    }
}
