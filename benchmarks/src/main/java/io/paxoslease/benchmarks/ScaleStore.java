package io.paxoslease.benchmarks;

import io.paxoslease.store.Register;
import java.io.IOException;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** A store with a number of leases in it. */
interface ScaleStore extends AutoCloseable {

    /** Opens it as a further client does. */
    Register open() throws IOException;

    /** Adds registers of these names and contents, each of which is written twice, as by an acquisition and a release. */
    void add(Map<String, byte[]> registers) throws IOException, InterruptedException;

    /** The nanoseconds of the least that a write to such a store does. */
    Histogram floor(int writes) throws IOException;

    @Override
    void close() throws IOException;
}
