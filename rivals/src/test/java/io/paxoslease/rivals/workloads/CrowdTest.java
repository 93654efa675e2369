package io.paxoslease.rivals.workloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.rivals.Client;
import io.paxoslease.rivals.Mutex;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CrowdTest {

    private static final int COUNT = 50;
    private static final int MEMBERS = 3;

    private final Set<Integer> opened = ConcurrentHashMap.newKeySet();
    private final AtomicInteger ready = new AtomicInteger();
    private final Set<String> locked = ConcurrentHashMap.newKeySet();

    @Test
    void noTwoClientsAreTheSameAndNoneIsAMember() throws Exception {
        assertThat(new Crowd(this::open).open(COUNT)).containsKey("seconds");
        assertThat(opened).hasSize(COUNT).allMatch(index -> index >= MEMBERS);
        assertThat(ready).hasValue(COUNT);
    }

    @Test
    void eachLocksAKeyOfItsOwn() throws Exception {
        Crowd crowd = new Crowd(this::open);
        crowd.open(COUNT);
        crowd.lockEach();
        assertThat(locked).hasSize(COUNT);
    }

    @Test
    void aClientThatCannotBeOpenedIsTold() {
        Crowd crowd = new Crowd(index -> {
            throw new IllegalStateException("no room");
        });
        assertThatThrownBy(() -> crowd.open(COUNT)).hasMessageContaining("no room");
    }

    private Client open(int index) {
        opened.add(index);
        return new Client() {
            @Override
            public void awaitReady() {
                ready.incrementAndGet();
            }

            @Override
            public Mutex mutex(String key) {
                return new Mutex() {
                    @Override
                    public void lock() {
                        locked.add(key);
                    }

                    @Override
                    public void unlock() {
                        locked.remove(key);
                    }
                };
            }

            @Override
            public void close() {}
        };
    }
}
