package io.paxoslease.spring.autoconfigure;

import io.paxoslease.MembershipStore;
import io.paxoslease.jdbc.JdbcMembershipStore;
import io.paxoslease.jdbc.SchemaInitialization;
import io.paxoslease.membership.FileMembershipStore;
import io.paxoslease.spring.autoconfigure.PaxosLeaseProperties.Members;
import io.paxoslease.spring.membership.ConfigMapMembershipStore;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.ClassUtils;

/**
 * The store of the cell's members: a {@link MembershipStore} bean of the application, or the store that the properties
 * name, or none.
 */
final class ConfiguredMembershipStore {

    private static final String PREFIX = PaxosLeaseProperties.PREFIX + "membership-store.";
    private static final String JSON = "tools.jackson.databind.json.JsonMapper";

    private static final String FILE = "file";
    private static final String TABLE = "table";
    private static final String CONFIG_MAP = "config-map";
    private static final String DATA_SOURCE = "data-source";
    private static final String NAMESPACE = "namespace";

    /** Those that are not blank, by name. */
    private final Map<String, String> settings = new LinkedHashMap<>();

    private final SchemaInitialization initialize;
    private final String cell;
    private final ListableBeanFactory beans;

    ConfiguredMembershipStore(PaxosLeaseProperties properties, String cell, ListableBeanFactory beans) {
        Members members = properties.membershipStore();
        set(FILE, members.file());
        set(TABLE, members.table());
        set(CONFIG_MAP, members.configMap());
        set(DATA_SOURCE, members.dataSource());
        set(NAMESPACE, members.namespace());
        this.initialize = properties.jdbc().initializeSchema();
        this.cell = cell;
        this.beans = beans;
    }

    private void set(String name, @Nullable String value) {
        if (value != null && !value.isBlank()) {
            settings.put(name, value.strip());
        }
    }

    /** Null for none. */
    @Nullable
    MembershipStore store() {
        List<String> kinds =
                Stream.of(FILE, TABLE, CONFIG_MAP).filter(settings::containsKey).toList();
        String[] own = beans.getBeanNamesForType(MembershipStore.class);
        if (own.length > 0 && !kinds.isEmpty()) {
            throw second(kinds.get(0), "the MembershipStore bean '%s'".formatted(own[0]));
        }
        if (own.length > 0) {
            return onlyBean(own);
        }
        if (kinds.size() > 1) {
            throw second(kinds.get(1), "'%s'".formatted(PREFIX + kinds.get(0)));
        }
        refuseStray(DATA_SOURCE, TABLE);
        refuseStray(NAMESPACE, CONFIG_MAP);
        if (kinds.isEmpty()) {
            return null;
        }
        String value = Objects.requireNonNull(settings.get(kinds.get(0)));
        return switch (kinds.get(0)) {
            case FILE -> file(value);
            case TABLE -> table(value);
            default -> configMap(value);
        };
    }

    private MembershipStore onlyBean(String[] names) {
        MembershipStore only = beans.getBeanProvider(MembershipStore.class).getIfUnique();
        if (only == null) {
            throw new IllegalStateException(
                    "There are several MembershipStore beans, %s, and a cell has one store of its members: make one of them @Primary, or leave the others out"
                            .formatted(Arrays.toString(names)));
        }
        return only;
    }

    private InvalidConfigurationPropertyValueException second(String kind, String first) {
        return new InvalidConfigurationPropertyValueException(
                PREFIX + kind,
                settings.get(kind),
                "Stands beside %s, and a cell has one store of its members: leave one of the two out."
                        .formatted(first));
    }

    /** Settings of a store that is not the chosen one are mistakes that would go unnoticed. */
    private void refuseStray(String setting, String kind) {
        if (settings.containsKey(setting) && !settings.containsKey(kind)) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + setting,
                    settings.get(setting),
                    "Belongs to '%s', which is not set: set that, or leave this out.".formatted(PREFIX + kind));
        }
    }

    private MembershipStore file(String path) {
        try {
            return new FileMembershipStore(Path.of(path), cell);
        } catch (InvalidPathException e) {
            throw new PropertyValueException(
                    PREFIX + FILE, path, "Must be the path of a file: " + e.getReason() + ".", e);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + FILE, path, e.getMessage() + ".", e);
        }
    }

    private MembershipStore table(String name) {
        try {
            return new JdbcMembershipStore(dataSource(), cell).withTable(name).withInitializedSchema(initialize);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + TABLE, name, e.getMessage() + ".", e);
        }
    }

    private DataSource dataSource() {
        DataSources dataSources = new DataSources(beans);
        String name = settings.get(DATA_SOURCE);
        return name == null
                ? dataSources.only(
                        PREFIX + DATA_SOURCE,
                        "A table needs a database, and there is no DataSource: configure one ('spring.datasource.url'), or keep the members in a file or a config map.",
                        "name the one of the database with the table")
                : dataSources.named(PREFIX + DATA_SOURCE, name);
    }

    private MembershipStore configMap(String name) {
        if (!ClassUtils.isPresent(JSON, null)) {
            throw new InvalidConfigurationPropertyValueException(
                    PREFIX + CONFIG_MAP,
                    name,
                    "Needs Jackson, to speak JSON with Kubernetes: add the dependency tools.jackson.core:jackson-databind.");
        }
        try {
            return ConfigMapMembershipStore.inCluster(name, settings.get(NAMESPACE), cell);
        } catch (IllegalArgumentException e) {
            throw new PropertyValueException(PREFIX + CONFIG_MAP, name, e.getMessage() + ".", e);
        }
    }
}
