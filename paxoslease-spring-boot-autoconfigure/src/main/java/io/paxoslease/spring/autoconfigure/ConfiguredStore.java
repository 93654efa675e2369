package io.paxoslease.spring.autoconfigure;

import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Storage;
import io.paxoslease.store.DirectoryRegister;
import io.paxoslease.store.JdbcRegister;
import io.paxoslease.store.Register;
import io.paxoslease.store.ReliableRegister;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The store that holds the leases with {@code paxoslease.algorithm=storage}: a {@link Register} bean of the
 * application, or the store that the properties name. Of several stores a minority may fail.
 */
final class ConfiguredStore {

    private static final String PREFIX = "paxoslease.storage.";
    private static final String DATA_SOURCES = PREFIX + "data-sources";
    private static final int MIN_REPLICAS = 3;
    /**
     * An access to several stores takes two rounds, one after the other; a third of the bound is left for this process.
     */
    private static final int PATIENCE_DIVISOR = 3;

    private final Storage properties;
    private final SchemaInitialization initialize;
    private final ListableBeanFactory beans;
    private final DataSources dataSources;

    ConfiguredStore(PaxosLeaseProperties properties, ListableBeanFactory beans) {
        this.properties = properties.storage();
        this.initialize = properties.jdbc().initializeSchema();
        this.beans = beans;
        this.dataSources = new DataSources(beans);
    }

    Register register() {
        Register own = beans.getBeanProvider(Register.class).getIfUnique();
        if (own != null) {
            return own;
        }
        List<Register> stores = new ArrayList<>();
        properties.directories().forEach(directory -> stores.add(directory(directory)));
        properties.dataSources().forEach(name -> stores.add(database(dataSources.named(DATA_SOURCES, name))));
        if (stores.isEmpty()) {
            return database(onlyDataSource());
        }
        if (stores.size() == 1) {
            return stores.get(0);
        }
        if (stores.size() < MIN_REPLICAS || stores.size() % 2 == 0) {
            throw new InvalidConfigurationPropertyValueException(
                    properties.directories().isEmpty() ? DATA_SOURCES : PREFIX + "directories",
                    stores.stream().map(Register::describe).toList(),
                    "There must be one store, or an odd number of them from 3 on: of 3 one may fail, of 5 two.");
        }
        return new ReliableRegister(stores, properties.accessBound().dividedBy(PATIENCE_DIVISOR), new SecureRandom());
    }

    private DirectoryRegister directory(String directory) {
        try {
            return new DirectoryRegister(Path.of(directory), properties.initialize());
        } catch (InvalidPathException e) {
            throw new PropertyValueException(
                    PREFIX + "directories", directory, "Must be paths of directories: " + e.getReason() + ".", e);
        }
    }

    private JdbcRegister database(DataSource dataSource) {
        JdbcRegister register;
        try {
            register = new JdbcRegister(dataSource).withTable(properties.table());
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(
                    PREFIX + "table", properties.table(), String.valueOf(e.getMessage()) + ".", e);
        }
        if (!properties.accessBound().isNegative() && !properties.accessBound().isZero()) {
            register = register.withAccessBound(properties.accessBound());
        }
        return register.withInitializedSchema(initialize);
    }

    private DataSource onlyDataSource() {
        return dataSources.only(
                DATA_SOURCES,
                "With 'paxoslease.algorithm=storage' the instances agree through a store, and there is none: name a directory on"
                        + " a shared file system with 'paxoslease.storage.directories', or configure a DataSource"
                        + " ('spring.datasource.url').",
                "name the one that holds the leases");
    }
}
