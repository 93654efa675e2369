package io.paxoslease.spring.autoconfigure;

import io.paxoslease.MembershipStore;
import io.paxoslease.jdbc.JdbcMembershipStore;
import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.membership.FileMembershipStore;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Members;
import io.paxoslease.spring.membership.ConfigMapMembershipStore;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The store of the cell's members: a {@link MembershipStore} bean of the application, or the store that the properties
 * name, or none.
 */
final class ConfiguredMembershipStore {

    private static final String PREFIX = PaxosLeaseProperties.PREFIX + "membership-store.";
    private static final String JSON = "tools.jackson.databind.json.JsonMapper";

    private final Members properties;
    private final SchemaInitialization initialize;
    private final String cell;
    private final ListableBeanFactory beans;

    ConfiguredMembershipStore(PaxosLeaseProperties properties, String cell, ListableBeanFactory beans) {
        this.properties = properties.membershipStore();
        this.initialize = properties.jdbc().initializeSchema();
        this.cell = cell;
        this.beans = beans;
    }

    /**
     * Null for none.
     *
     * @throws InvalidConfigurationPropertyValueException naming the property, its value, and what to change
     */
    @Nullable
    MembershipStore store() {
        List<String> kinds = kinds();
        MembershipStore own = own(kinds);
        if (own != null) {
            return own;
        }
        if (kinds.size() > 1) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + kinds.get(1),
                    valueOf(kinds.get(1)),
                    "Stands beside '%s', and a cell has one store of its members: leave one of the two out."
                            .formatted(PREFIX + kinds.get(0)));
        }
        refuseStrays(kinds);
        if (kinds.isEmpty()) {
            return null;
        }
        return switch (kinds.get(0)) {
            case "file" -> file(valueOf("file"));
            case "table" -> table(valueOf("table"));
            default -> configMap(valueOf("config-map"));
        };
    }

    private List<String> kinds() {
        List<String> kinds = new ArrayList<>();
        for (String kind : List.of("file", "table", "config-map")) {
            if (StringUtils.hasText(textOf(kind))) {
                kinds.add(kind);
            }
        }
        return kinds;
    }

    private @Nullable String textOf(String kind) {
        return switch (kind) {
            case "file" -> properties.file();
            case "table" -> properties.table();
            case "config-map" -> properties.configMap();
            case "data-source" -> properties.dataSource();
            default -> properties.namespace();
        };
    }

    private String valueOf(String kind) {
        String text = textOf(kind);
        return text == null ? "" : text.strip();
    }

    private @Nullable MembershipStore own(List<String> kinds) {
        String[] names = beans.getBeanNamesForType(MembershipStore.class);
        if (names.length == 0) {
            return null;
        }
        if (!kinds.isEmpty()) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + kinds.get(0),
                    valueOf(kinds.get(0)),
                    "Stands beside the MembershipStore bean '%s', and a cell has one store of its members: leave one of the two out."
                            .formatted(names[0]));
        }
        MembershipStore own = beans.getBeanProvider(MembershipStore.class).getIfUnique();
        if (own == null) {
            throw new IllegalStateException(
                    "There are several MembershipStore beans, %s, and a cell has one store of its members: make one of them @Primary, or leave the others out"
                            .formatted(Arrays.toString(names)));
        }
        return own;
    }

    /** Settings of a store that is not the chosen one are mistakes that would go unnoticed. */
    private void refuseStrays(List<String> kinds) {
        refuseStray("data-source", "table", kinds);
        refuseStray("namespace", "config-map", kinds);
    }

    private void refuseStray(String setting, String kind, List<String> kinds) {
        if (StringUtils.hasText(textOf(setting)) && !kinds.contains(kind)) {
            throw stray(setting, valueOf(setting), kind);
        }
    }

    private static InvalidConfigurationPropertyValueException stray(String setting, Object value, String kind) {
        return new InvalidConfigurationPropertyValueException(
                PREFIX + setting,
                value,
                "Belongs to '%s', which is not set: set that, or leave this out.".formatted(PREFIX + kind));
    }

    private MembershipStore file(String path) {
        try {
            return new FileMembershipStore(Path.of(path), cell);
        } catch (InvalidPathException e) {
            throw new PropertyValueException(
                    PREFIX + "file", path, "Must be the path of a file: " + e.getReason() + ".", e);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + "file", path, e.getMessage() + ".", e);
        }
    }

    private MembershipStore table(String name) {
        try {
            return new JdbcMembershipStore(dataSource(), cell).withTable(name).withInitializedSchema(initialize);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + "table", name, e.getMessage() + ".", e);
        }
    }

    private DataSource dataSource() {
        DataSources dataSources = new DataSources(beans);
        String name = valueOf("data-source");
        return name.isEmpty()
                ? dataSources.only(
                        PREFIX + "data-source",
                        "A table needs a database, and there is no DataSource: configure one ('spring.datasource.url'), or keep the members in a file or a config map.",
                        "name the one of the database with the table")
                : dataSources.named(PREFIX + "data-source", name);
    }

    private MembershipStore configMap(String name) {
        if (!ClassUtils.isPresent(JSON, null)) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + "config-map",
                    name,
                    "Needs Jackson, to speak JSON with Kubernetes: add the dependency tools.jackson.core:jackson-databind.");
        }
        try {
            String namespace = valueOf("namespace");
            return ConfigMapMembershipStore.inCluster(name, namespace.isEmpty() ? null : namespace, cell);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + "config-map", name, e.getMessage() + ".", e);
        }
    }
}
