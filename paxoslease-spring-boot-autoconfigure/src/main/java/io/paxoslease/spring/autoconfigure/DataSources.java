package io.paxoslease.spring.autoconfigure;

import java.util.Arrays;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/**
 * The application's data sources, each without its transaction proxy: a transaction of the application must not roll back
 * what a store writes.
 */
final class DataSources {

    private final ListableBeanFactory beans;

    DataSources(ListableBeanFactory beans) {
        this.beans = beans;
    }

    DataSource named(String property, String name) {
        try {
            return target(beans.getBean(name, DataSource.class));
        } catch (NoSuchBeanDefinitionException e) {
            throw new PropertyValueException(
                    property,
                    name,
                    "Must be names of DataSource beans; there are %s."
                            .formatted(Arrays.toString(beans.getBeanNamesForType(DataSource.class))),
                    e);
        }
    }

    DataSource only(String property, String none, String several) {
        DataSource dataSource = beans.getBeanProvider(DataSource.class).getIfUnique();
        if (dataSource != null) {
            return target(dataSource);
        }
        String[] names = beans.getBeanNamesForType(DataSource.class);
        throw new InvalidConfigurationPropertyValueException(
                property,
                null,
                names.length == 0
                        ? none
                        : "There are several DataSources, %s: %s.".formatted(Arrays.toString(names), several));
    }

    private static DataSource target(DataSource dataSource) {
        if (ClassUtils.isPresent(
                "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy",
                DataSources.class.getClassLoader())) {
            return Unwrapping.target(dataSource);
        }
        return dataSource;
    }

    /** Loaded only if Spring JDBC is on the class path. */
    private static final class Unwrapping {

        static DataSource target(DataSource dataSource) {
            DataSource target =
                    dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
            return target == null ? dataSource : target;
        }
    }
}
