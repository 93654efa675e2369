package io.paxoslease.node.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.paxoslease.AcquireOptions;
import io.paxoslease.Lease;
import io.paxoslease.PaxosLease;
import io.paxoslease.PaxosLeaseOptions;
import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.InMemoryRegister;
import io.paxoslease.store.Register;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CellRegisterTest {

    private static final byte[] CONTENT = {1, 2, 3};
    /** What a store of several that only reads and writes takes. */
    private static final int LONGEST = 206;

    private static final AcquireOptions AT_ONCE =
            AcquireOptions.builder().maxWait(Duration.ofMillis(500)).build();

    private final Register store = new InMemoryRegister();
    private final CellRegister shop = new CellRegister("shop", store);

    @Test
    void eachCellHasRegistersOfItsOwn() throws IOException {
        CellRegister bank = new CellRegister("bank", store);
        shop.write("role:billing", CONTENT);

        assertThat(bank.read("role:billing")).isNull();
        assertThat(new CellRegister("shop", store).read("role:billing")).isEqualTo(CONTENT);
        assertThat(store.read("shop role:billing")).isEqualTo(CONTENT);
        assertThat(bank.compareAndSet("role:billing", null, CONTENT)).isTrue();
        assertThat(shop.compareAndSet("role:billing", null, CONTENT)).isFalse();
    }

    @Test
    void twoApplicationsLeadOneRoleInOneStore() throws InterruptedException {
        PaxosLease shopNode = node("shop", "a");
        PaxosLease otherShopNode = node("shop", "b");
        PaxosLease bankNode = node("bank", "c");
        try {
            Lease lease = shopNode.tryAcquire("role:billing", AT_ONCE).orElseThrow();
            assertThat(otherShopNode.tryAcquire("role:billing", AT_ONCE)).isEmpty();
            assertThat(bankNode.tryAcquire("role:billing", AT_ONCE)).isPresent();
            assertThat(lease.isHeld()).isTrue();
        } finally {
            shopNode.stop();
            otherShopNode.stop();
            bankNode.stop();
        }
    }

    private PaxosLease node(String cell, String id) {
        PaxosLease node = PaxosLease.create(PaxosLeaseOptions.builder(id)
                .cell(cell)
                .algorithm(StorageOptions.builder(store).build())
                .build());
        node.start();
        return node;
    }

    @Test
    void noTwoLeasesShareARegister() {
        String longest = "x".repeat(128);
        String[] cells = {"shop", "shop#", "sho", "shop/a", longest};
        String[] resources = {"r", "p r", " r", "/r", "#r", "a r", "y".repeat(195), "y".repeat(196), "z".repeat(255)};
        long names = Arrays.stream(cells)
                .map(cell -> new CellRegister(cell, store))
                .flatMap(cell -> Arrays.stream(resources).map(cell::nameOf))
                .distinct()
                .count();
        assertThat(names).isEqualTo((long) cells.length * resources.length);
    }

    @Test
    void everyNameFitsIntoEveryStore() {
        for (String cell : new String[] {"c", "x".repeat(128), "ü".repeat(64)}) {
            for (String resource : new String[] {"r", "y".repeat(255), "ü".repeat(127)}) {
                assertThat(new CellRegister(cell, store).nameOf(resource).getBytes(StandardCharsets.UTF_8))
                        .hasSizeLessThanOrEqualTo(LONGEST);
            }
        }
        assertThat(shop.nameOf("y".repeat(195))).isEqualTo("shop " + "y".repeat(195));
        assertThat(shop.nameOf("y".repeat(196))).matches("shop#[0-9a-f]{64}");
    }

    @Test
    void theRestIsTheStores() throws IOException {
        boolean[] checked = {false};
        CellRegister register = new CellRegister("shop", new Register() {
            @Override
            public byte @Nullable [] read(String name) {
                return null;
            }

            @Override
            public void write(String name, byte[] content) {}

            @Override
            public void check() {
                checked[0] = true;
            }

            @Override
            public Map<String, String> missing() {
                return Map.of("one", "is away");
            }

            @Override
            public String describe() {
                return "the store";
            }
        });
        register.check();

        assertThat(checked[0]).isTrue();
        assertThat(register.comparesAndSets()).isFalse();
        assertThat(shop.comparesAndSets()).isTrue();
        assertThat(register.missing()).containsExactly(Map.entry("one", "is away"));
        assertThat(register.describe()).isEqualTo("the store");
    }
}
