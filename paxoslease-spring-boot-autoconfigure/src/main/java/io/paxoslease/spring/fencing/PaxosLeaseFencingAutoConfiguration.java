package io.paxoslease.spring.fencing;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.spring.runs.RunLog;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcOperations;

/** Checks at start-up that the tables of {@link JdbcFence} and {@link JdbcRuns} beans can be used. */
@AutoConfiguration
@ConditionalOnClass(JdbcOperations.class)
@ConditionalOnBooleanProperty(name = "paxoslease.enabled", matchIfMissing = true)
final class PaxosLeaseFencingAutoConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FencingTables fencingTables(Environment environment) {
        return new FencingTables(() -> Binder.get(environment)
                .bind("paxoslease.jdbc.initialize-schema", SchemaInitialization.class)
                .orElse(SchemaInitialization.EMBEDDED));
    }

    /**
     * With lazy initialization, too, a missing table is found at the start, and not by the first run that cannot be made. A log that is declared as
     * {@link RunLog} may be {@link JdbcRuns}.
     */
    @Bean
    static LazyInitializationExcludeFilter fencingTablesOwners() {
        return LazyInitializationExcludeFilter.forBeanTypes(JdbcFence.class, RunLog.class);
    }
}
