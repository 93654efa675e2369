package io.paxoslease.protocol.paxos;

import java.util.Arrays;

/** The columns of some slots of a {@link SlotTable}. */
final class SlotPage {

    long[] promised = new long[0];
    long[] counter = new long[0];
    long[] deadline = new long[0];
    int[] promisedBy = new int[0];
    int[] owner = new int[0];
    int[] heard = new int[0];
    int[] generation = new int[0];
    int[] name = new int[0];
    byte[] length = new byte[0];
    byte[] flags = new byte[0];

    /** @param generation of every slot at first */
    SlotPage(int slots, int generation) {
        grow(slots);
        Arrays.fill(this.generation, generation);
    }

    void grow(int slots) {
        promised = Arrays.copyOf(promised, slots);
        counter = Arrays.copyOf(counter, slots);
        deadline = Arrays.copyOf(deadline, slots);
        promisedBy = Arrays.copyOf(promisedBy, slots);
        owner = Arrays.copyOf(owner, slots);
        heard = Arrays.copyOf(heard, slots);
        generation = Arrays.copyOf(generation, slots);
        name = Arrays.copyOf(name, slots);
        length = Arrays.copyOf(length, slots);
        flags = Arrays.copyOf(flags, slots);
    }

    int slots() {
        return flags.length;
    }
}
