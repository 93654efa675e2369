package io.paxoslease.spring.fencing;

import io.paxoslease.spring.runs.RunLog;
import java.util.Set;
import org.springframework.boot.sql.init.dependency.AbstractBeansOfTypeDependsOnDatabaseInitializationDetector;

/** Has Flyway, Liquibase and Spring Boot's scripts run before {@link JdbcFence} and {@link RunLog} beans are created, lazy ones included. */
final class AfterDatabaseInitialization extends AbstractBeansOfTypeDependsOnDatabaseInitializationDetector {

    @Override
    protected Set<Class<?>> getDependsOnDatabaseInitializationBeanTypes() {
        return Set.of(JdbcFence.class, RunLog.class);
    }
}
