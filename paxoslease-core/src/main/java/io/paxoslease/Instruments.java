package io.paxoslease;

import io.paxoslease.runtime.NodeCounts;

/**
 * What is measured of a node, over all its lives.
 *
 * @param observers told what it does
 * @param counts what goes through it
 * @param losses the last loss of each resource
 */
record Instruments(Observers observers, NodeCounts counts, Losses losses) {

    Instruments() {
        this(new Observers(), new NodeCounts(), new Losses());
    }

    Instruments ofFurtherShard() {
        return new Instruments(observers, counts.ofFurtherShard(), losses);
    }
}
