package io.paxoslease.spring.fencing;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.jdbc.TableException;
import io.paxoslease.jdbc.internal.TableCheck;
import io.paxoslease.protocol.Printable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Checks the tables of {@link JdbcFence} and {@link JdbcRuns} beans once all singletons have been created, which is after
 * migrations, and the tables of lazy beans when these are created. Registered by the auto-configuration.
 */
final class FencingTables implements BeanPostProcessor, SmartInitializingSingleton {

    private static final Logger log = LoggerFactory.getLogger(FencingTables.class);

    private final Supplier<SchemaInitialization> initialize;
    private final List<Table> waiting = new ArrayList<>();
    private boolean started;

    /** @param initialize which databases get a table that is missing; looked up at the first check */
    FencingTables(Supplier<SchemaInitialization> initialize) {
        this.initialize = initialize;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof JdbcFence fence) {
            add(fence.table());
        } else if (bean instanceof JdbcRuns runs) {
            add(runs.table());
        }
        return bean;
    }

    private void add(Table table) {
        synchronized (waiting) {
            if (!started) {
                waiting.add(table);
                return;
            }
        }
        check(table);
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<Table> tables;
        synchronized (waiting) {
            started = true;
            tables = List.copyOf(waiting);
            waiting.clear();
        }
        tables.forEach(this::check);
    }

    /** A database that is down does not stop the start, as it does not with any other DataSource. */
    private void check(Table table) {
        try {
            table.check().run(table.dataSource(), initialize.get());
        } catch (TableException e) {
            throw new UncheckedIOException(e);
        } catch (IOException e) {
            log.warn(
                    "It is not known whether the table {} can be used: {}",
                    Printable.name(table.check().table()),
                    Printable.text(e.getMessage()));
        }
    }

    record Table(DataSource dataSource, TableCheck check) {}
}
