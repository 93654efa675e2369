package io.paxoslease.spring.autoconfigure;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;

/** The names of the properties below {@code paxoslease}. */
final class PropertyNames {

    /** In the place of an element that the application chooses, such as the name of a role. */
    static final String ANY = "*";

    private PropertyNames() {}

    static List<String> all() {
        List<String> names = new ArrayList<>();
        add(names, "paxoslease", PaxosLeaseProperties.class);
        return names;
    }

    /** Whether there is a property of that name, or some below it. */
    static boolean contains(String name) {
        return all().stream().anyMatch(each -> each.equals(name) || each.startsWith(name + "."));
    }

    private static void add(List<String> names, String name, Type type) {
        if (type instanceof Class<?> one && one.isRecord()) {
            for (RecordComponent component : one.getRecordComponents()) {
                String dashed = DataObjectPropertyName.toDashedForm(component.getName());
                add(names, name + "." + dashed, component.getGenericType());
            }
        } else if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            add(names, name + "." + ANY, map.getActualTypeArguments()[1]);
        } else {
            names.add(name);
        }
    }
}
