package io.paxoslease.store;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A store in memory that fails, hangs and lags as it is told. */
final class MapRegister implements Register {

    /** What a call is. */
    interface Fault {
        void strike(String operation, String name) throws IOException;
    }

    static final Fault NONE = (operation, name) -> {};
    static final Fault FAILS = (operation, name) -> {
        throw new IOException("out of order");
    };

    private final Map<String, byte[]> contents = new HashMap<>();
    private final String name;
    private final boolean compares;
    private final AtomicInteger hanging = new AtomicInteger();
    private volatile Fault fault = NONE;
    private boolean listsNames = true;

    MapRegister(String name, boolean compares) {
        this.name = name;
        this.compares = compares;
    }

    void fault(Fault next) {
        fault = next;
    }

    /** Every call that begins from now on hangs until the latch opens. */
    void hangUntil(CountDownLatch open) {
        fault = (operation, called) -> {
            hanging.incrementAndGet();
            try {
                open.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            } finally {
                hanging.decrementAndGet();
            }
        };
    }

    /** How many calls hang now. */
    int hanging() {
        return hanging.get();
    }

    MapRegister withoutNames() {
        listsNames = false;
        return this;
    }

    @Override
    public byte @Nullable [] read(String called) throws IOException {
        fault.strike("read", called);
        synchronized (contents) {
            byte[] found = contents.get(called);
            return found == null ? null : found.clone();
        }
    }

    @Override
    public void write(String called, byte[] content) throws IOException {
        fault.strike("write", called);
        synchronized (contents) {
            contents.put(called, content.clone());
        }
    }

    @Override
    public boolean comparesAndSets() {
        return compares;
    }

    @Override
    public boolean compareAndSet(String called, byte @Nullable [] expected, byte[] content) throws IOException {
        fault.strike("compareAndSet", called);
        synchronized (contents) {
            if (!compares) {
                throw new UnsupportedOperationException("only reads and writes");
            }
            if (!Arrays.equals(contents.get(called), expected)) {
                return false;
            }
            contents.put(called, content.clone());
            return true;
        }
    }

    @Override
    public boolean listsNames() {
        return listsNames;
    }

    @Override
    public List<String> names(String prefix) throws IOException {
        fault.strike("names", prefix);
        synchronized (contents) {
            return contents.keySet().stream()
                    .filter(found -> found.startsWith(prefix))
                    .toList();
        }
    }

    @Override
    public void delete(String called) throws IOException {
        fault.strike("delete", called);
        synchronized (contents) {
            contents.remove(called);
        }
    }

    @Override
    public void check() throws IOException {
        fault.strike("check", "");
    }

    int size() {
        synchronized (contents) {
            return contents.size();
        }
    }

    @Override
    public String describe() {
        return "map " + name;
    }
}
