package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientCountsTest {

    @Test
    void applicationsAreInTheOrderOfTheirNames() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        List.of("stock", "billing", "orders", "web", "audit", "mail", "cron").forEach(name -> counts.put(name, 1));
        ClientCounts clients = new ClientCounts(7, 10, counts);
        counts.put("later", 1);

        assertThat(clients.byApplication().keySet())
                .containsExactly("audit", "billing", "cron", "mail", "orders", "stock", "web");
        assertThatThrownBy(() -> clients.byApplication().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
