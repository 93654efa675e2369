package io.paxoslease.spring.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.paxoslease.locks.LeaseLocks;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.ReflectionUtils;

/** Keys made of arguments. */
class LockKeyTest {

    record Item(@Nullable String id, int number, TimeUnit unit, UUID uuid) {}

    static class Work {
        void run(Item item, List<String> names) {}
    }

    private static final UUID ID = UUID.fromString("00000000-0000-0001-0000-000000000002");
    private static final Item ITEM = new Item("x", 7, TimeUnit.DAYS, ID);

    private static Method run() {
        return Objects.requireNonNull(ReflectionUtils.findMethod(Work.class, "run", Item.class, List.class));
    }

    private static String key(String expression, Item item) {
        return new LockKey(run(), "", expression, UnaryOperator.identity())
                .of(new Work(), new Object[] {item, List.of("n")}, null);
    }

    @ParameterizedTest
    @CsvSource({
        "#item.id, x",
        "#item.number, 7",
        "#item.number + 1, 8",
        "#item.unit, DAYS",
        "#item.uuid, 00000000-0000-0001-0000-000000000002",
        "#a0.id, x",
        "#p0.id, x",
        "#names[0], n",
        "#item.id + '-' + #names[0], x-n",
        "#item.number > 5, true",
        "'T(java.time.LocalDate).of(2026, 1, 31)', 2026-01-31",
    })
    void theValueIsTheKey(String expression, String key) {
        assertThat(key(expression, ITEM)).isEqualTo(key);
    }

    @Test
    void theNameComesFirst() {
        assertThat(new LockKey(run(), "items", "#item.id", UnaryOperator.identity())
                        .of(new Work(), new Object[] {ITEM, List.of()}, null))
                .isEqualTo("items:x");
        assertThat(new LockKey(run(), "items", "", UnaryOperator.identity())
                        .of(new Work(), new Object[] {ITEM, List.of()}, null))
                .isEqualTo("items");
    }

    /** A value comes from a caller, so it must not reach the locks of another name. */
    @ParameterizedTest
    @CsvSource({
        "a,     b:c,  a:b:c",
        "a:b,   c,    a\\:b:c",
        "a,     :b,   a::b",
        "'a:',  b,    a\\::b",
        "a\\,   b,    a\\\\:b",
        "a,     \\:b, a:\\:b",
        "a\\:b, c,    a\\\\\\:b:c",
        "a b,   c/d,  a b:c/d",
    })
    void noNameAndValueHaveTheKeyOfOthers(String name, String value, String key) {
        Item item = new Item(value, 7, TimeUnit.DAYS, ID);
        assertThat(new LockKey(run(), name, "#item.id", UnaryOperator.identity())
                        .of(new Work(), new Object[] {item, List.of()}, null))
                .isEqualTo(key)
                .isEqualTo(LeaseLocks.key(name, value));
    }

    @Test
    void everyNameAndValueHasAKeyOfItsOwn() {
        List<String> texts = new ArrayList<>();
        String characters = "a:\\";
        for (int length = 1; length <= 4; length++) {
            for (int number = 0; number < Math.pow(characters.length(), length); number++) {
                StringBuilder text = new StringBuilder();
                for (int i = 0, rest = number; i < length; i++, rest /= characters.length()) {
                    text.append(characters.charAt(rest % characters.length()));
                }
                texts.add(text.toString());
            }
        }
        Set<String> keys = new HashSet<>();
        texts.forEach(name -> texts.forEach(value -> keys.add(LeaseLocks.key(name, value))));
        assertThat(texts).hasSize(120);
        assertThat(keys).hasSize(120 * 120);
    }

    @Test
    void aValueThatIsNoKeyIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("#item.id", new Item(null, 7, TimeUnit.DAYS, ID)))
                .withMessage(
                        "The key '#item.id' of the @Locked method Work.run() is null: all such calls would have one lock. Pass a value, or choose another key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("#item.id", new Item("", 7, TimeUnit.DAYS, ID)))
                .withMessage(
                        "The key '#item.id' of the @Locked method Work.run() is empty: all such calls would have one lock. Pass a value, or choose another key");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("#item", ITEM))
                .withMessage(
                        "The key '#item' of the @Locked method Work.run() is of io.paxoslease.spring.lock.LockKeyTest$Item, whose text need not be the same on every instance: use a simple value, for instance an id of it");
    }

    @Test
    void aValueWhoseTextDependsOnTheInstanceIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("new java.util.Date()", ITEM))
                .withMessageContaining("is of java.util.Date, whose text need not be the same on every instance");
    }

    @Test
    void anExpressionThatFailsSaysWhichOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key("#item.id.length()", new Item(null, 7, TimeUnit.DAYS, ID)))
                .withMessageStartingWith("The key '#item.id.length()' of the @Locked method Work.run() failed: ")
                .withCauseInstanceOf(org.springframework.expression.EvaluationException.class);
    }

    @ParameterizedTest
    @CsvSource({"#order.id, #order", "#item.id + #b, #b", "{#item.id: #c}, #c", "#names.?[#this == #d], #d"})
    void aNameThatIsNoParameterIsRefused(String expression, String named) {
        assertThatExceptionOfType(AnnotationUsageException.class)
                .isThrownBy(() -> new LockKey(run(), "", expression, UnaryOperator.identity()))
                .withMessageContaining(
                        "has the key '%s', and there is no parameter %s, but [".formatted(expression, named));
    }
}
