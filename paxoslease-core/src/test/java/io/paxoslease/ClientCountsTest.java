package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.monitor.ClientCounts;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.junit.jupiter.api.Test;

class ClientCountsTest {

    /** What the event loop does to the map while another thread copies it: the size is read, then the last client leaves. */
    private static final class LastOneLeavesMap extends ConcurrentSkipListMap<String, Integer> {

        private static final long serialVersionUID = 1;

        @Override
        public int size() {
            int before = super.size();
            clear();
            return before;
        }
    }

    @Test
    void clientsThatLeaveMeanwhileDoNoHarm() {
        Map<String, Integer> live = new LastOneLeavesMap();
        live.put("orders", 1);
        assertThat(new ClientCounts(1, 10, live).byApplication()).isIn(Map.of(), Map.of("orders", 1));
    }

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
