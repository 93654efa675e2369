package io.paxoslease.node;

/**
 * What is measured and watched of a node, over all its lives.
 *
 * @param observers told what it does
 * @param counts what goes through it
 * @param losses the last loss of each resource
 * @param watches what its users watch
 */
record NodeInstrumentation(Observers observers, NodeCounts counts, Losses losses, NodeWatches watches) {

    /** Counts the messages of the algorithm. */
    static NodeInstrumentation of(NodeAlgorithm algorithm) {
        return new NodeInstrumentation(
                new Observers(), new NodeCounts(algorithm.messages()), new Losses(), new NodeWatches());
    }
}
