package io.paxoslease.node.storage;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The registers of one cell in a store that cells share: their names begin with that of the cell. So two applications may have one
 * database, and a role of the same name in each.
 *
 * <p>The register of a lease is the cell, a space and the resource. No cell has a space in its name, so no two leases share a register. What is
 * too long for every store is the cell, {@value #MARK} and a digest of that, without a space.
 */
final class CellRegister implements Register {

    /** In bytes. A store that is made of several needs the rest of 255 for itself. */
    private static final int LONGEST_NAME = 200;

    private static final String MARK = "#";

    private final String begin;
    private final Register store;

    /** Of leases. */
    CellRegister(String cell, Register store) {
        this(store, cell);
    }

    private CellRegister(Register store, String begin) {
        this.store = store;
        this.begin = begin;
    }

    /** Of the release records of a cell's leases: their names begin with a space, which no cell does. */
    static CellRegister ofReleases(String cell, Register store) {
        return new CellRegister(store, " " + cell);
    }

    /** The register of that lease. */
    String nameOf(String resource) {
        String name = begin + " " + resource;
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= LONGEST_NAME
                ? name
                : begin + MARK + HexFormat.of().formatHex(sha256().digest(bytes));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }

    @Override
    public byte @Nullable [] read(String resource) throws IOException {
        return store.read(nameOf(resource));
    }

    @Override
    public void write(String resource, byte[] content) throws IOException {
        store.write(nameOf(resource), content);
    }

    @Override
    public boolean comparesAndSets() {
        return store.comparesAndSets();
    }

    @Override
    public boolean compareAndSet(String resource, byte @Nullable [] expected, byte[] content) throws IOException {
        return store.compareAndSet(nameOf(resource), expected, content);
    }

    @Override
    public void check() throws IOException {
        store.check();
    }

    @Override
    public Map<String, String> missing() {
        return store.missing();
    }

    @Override
    public String describe() {
        return store.describe();
    }
}
