package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page that shows the whole API of this module names each public type and member, and nothing else. */
class ApiPageTest {

    private static final Path PAGE = Path.of("..", "docs", "api.md");
    private static final Pattern INTERNAL =
            Pattern.compile("io\\.paxoslease\\.(protocol|node|transport|shards\\.plan)(\\..*)?");
    private static final Pattern HEADING = Pattern.compile("### `([\\w.]+)`");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+\\([^`]*\\))` \\| .*\\S.* \\|");
    private static final Pattern LIST = Pattern.compile("(Values|Components|Constants): .*");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");

    @Test
    void thePageNamesEachPublicTypeAndMemberAndNothingElse() throws IOException {
        Map<String, Set<String>> compiled = compiled();
        Map<String, Set<String>> page = page(Files.readString(PAGE));
        assertThat(page.keySet()).isEqualTo(compiled.keySet());
        compiled.forEach((type, members) -> assertThat(page.get(type)).as(type).isEqualTo(members));
    }

    @Test
    void aMemberWithoutADescriptionIsNoneOfThePage() {
        String page = "### `A`\n\nValues: `X`,\n`Y`.\n\n| | |\n|---|---|\n| `a(int)` | Does. |\n| `b()` |  |\n";
        assertThat(page(page)).isEqualTo(Map.of("A", Set.of("X", "Y", "a(int)")));
    }

    private static Map<String, Set<String>> page(String text) {
        Map<String, Set<String>> types = new TreeMap<>();
        Set<String> members = new TreeSet<>();
        boolean listing = false;
        for (String line : text.lines().toList()) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            listing = LIST.matcher(line).matches() || (listing && !line.isBlank());
            if (heading.matches()) {
                members = new TreeSet<>();
                types.put(heading.group(1), members);
            } else if (row.matches()) {
                members.add(row.group(1));
            } else if (listing) {
                NAME.matcher(line).results().map(found -> found.group(1)).forEach(members::add);
            }
        }
        return types;
    }

    static Map<String, Set<String>> compiled() {
        return new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.paxoslease").stream()
                        .filter(type -> !INTERNAL.matcher(type.getPackageName()).matches())
                        .map(JavaClass::reflect)
                        .filter(ApiPageTest::isPublic)
                        .collect(Collectors.toMap(
                                ApiPageTest::shown, ApiPageTest::members, (one, other) -> one, TreeMap::new));
    }

    private static boolean isPublic(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return Modifier.isPublic(type.getModifiers()) && !type.isAnonymousClass() && (outer == null || isPublic(outer));
    }

    private static String shown(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return (outer == null ? "" : shown(outer) + ".") + type.getSimpleName();
    }

    private static Set<String> members(Class<?> type) {
        Set<String> members = new TreeSet<>();
        Arrays.stream(type.getDeclaredFields())
                .filter(field -> isSeen(field.getModifiers()) && !field.isSynthetic())
                .map(Field::getName)
                .forEach(members::add);
        Set<String> components = new HashSet<>();
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getName)
                    .forEach(components::add);
            members.addAll(components);
        } else if (!Throwable.class.isAssignableFrom(type) && !type.isEnum()) {
            Stream<Constructor<?>> constructors = Arrays.stream(type.getDeclaredConstructors());
            constructors
                    .filter(made -> isSeen(made.getModifiers()))
                    .map(made -> signature(type.getSimpleName(), made))
                    .forEach(members::add);
        }
        Set<String> inherited = inherited(type);
        Set<String> bridged = Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isBridge() && inherited.contains(signature(method.getName(), method)))
                .map(method -> method.getName() + "/" + method.getParameterCount())
                .collect(Collectors.toSet());
        Arrays.stream(type.getDeclaredMethods())
                .filter(method -> isSeen(method.getModifiers()) && (!method.isSynthetic() || method.isBridge()))
                .filter(method -> !bridged.contains(method.getName() + "/" + method.getParameterCount()))
                .filter(method -> !(type.isEnum() && isOfEnum(method)))
                .filter(method -> !(method.getParameterCount() == 0 && components.contains(method.getName())))
                .map(method -> signature(method.getName(), method))
                .filter(signature -> !inherited.contains(signature))
                .forEach(members::add);
        return members;
    }

    private static boolean isOfEnum(Method method) {
        return method.getName().equals("values") || method.getName().equals("valueOf");
    }

    /** What a public supertype has is said there. */
    private static Set<String> inherited(Class<?> type) {
        Set<String> inherited = new HashSet<>();
        Deque<Class<?>> open = new ArrayDeque<>(Arrays.asList(type.getInterfaces()));
        open.add(type.getSuperclass() == null ? Object.class : type.getSuperclass());
        while (!open.isEmpty()) {
            Class<?> next = open.remove();
            open.addAll(Arrays.asList(next.getInterfaces()));
            if (next.getSuperclass() != null) {
                open.add(next.getSuperclass());
            }
            if (Modifier.isPublic(next.getModifiers())) {
                Arrays.stream(next.getDeclaredMethods())
                        .map(method -> signature(method.getName(), method))
                        .forEach(inherited::add);
            }
        }
        return inherited;
    }

    private static boolean isSeen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String signature(String name, Executable member) {
        return Arrays.stream(member.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", name + "(", ")"));
    }
}
