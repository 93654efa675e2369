package io.paxoslease.samples.cluster;

/** How the instances of the sample agree: a value of {@code paxoslease.algorithm}. */
enum Algorithm {
    PAXOSLEASE,
    FLEASE,
    STORAGE
}
