package io.paxoslease.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.AlgorithmOptions;
import io.paxoslease.PaxosLeaseOptions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.StandardEnvironment;

class CellNameTest {

    private static final String[] MEMBER = {"paxoslease.node-id=a", "paxoslease.peers.a=127.0.0.1:7401"};
    private static final String[] ALONE = {"paxoslease.standalone=true"};

    private static String cell(String[] kind, String... settings) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of(Stream.concat(Stream.of(kind), Stream.of(settings)))
                .applyTo(environment);
        PaxosLeaseProperties properties =
                Binder.get(environment).bindOrCreate("paxoslease", PaxosLeaseProperties.class);
        PaxosLeaseOptions options = new NodeOptions(new CellDetails(properties, null), List.of(), environment)
                .build(null, () -> AlgorithmOptions.PAXOSLEASE, () -> null);
        return options.cell();
    }

    @Test
    void itIsTheApplicationsNameUnlessItIsConfigured() {
        assertThat(cell(MEMBER)).isEqualTo("paxoslease");
        assertThat(cell(MEMBER, "spring.application.name=")).isEqualTo("paxoslease");
        assertThat(cell(MEMBER, "spring.application.name=shop")).isEqualTo("shop");
        assertThat(cell(MEMBER, "spring.application.name=shop", "paxoslease.cell=bank"))
                .isEqualTo("bank");
        assertThat(cell(ALONE, "spring.application.name=shop")).isEqualTo("shop");
    }

    @Test
    void whatNamesNoCellIsRefusedUnderThePropertyThatSetsIt() {
        assertThatThrownBy(() -> cell(MEMBER, "spring.application.name=my shop"))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, refusal -> {
                    assertThat(refusal.getName()).isEqualTo("spring.application.name");
                    assertThat(refusal.getValue()).isEqualTo("my shop");
                    assertThat(refusal.getReason())
                            .isEqualTo(
                                    "Is the name of the cell by default, which must be at most 128 bytes of UTF-8 without white space, control or"
                                            + " format characters: set 'paxoslease.cell' to such a name, the same on every instance.");
                });
        assertThatThrownBy(() -> cell(MEMBER, "spring.application.name=" + "x".repeat(129)))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class);
        assertThatThrownBy(() -> cell(MEMBER, "spring.application.name=shop", "paxoslease.cell="))
                .isInstanceOfSatisfying(
                        InvalidConfigurationPropertyValueException.class,
                        refusal -> assertThat(refusal.getName()).isEqualTo("paxoslease.cell"));
    }

    @Test
    void inACellOfOneAnyNameWillDo() {
        assertThat(cell(ALONE, "spring.application.name=my shop")).isEqualTo("my-shop");
    }
}
