package io.paxoslease.spring.autoconfigure;

/** {@code paxoslease.algorithm} names an algorithm whose jar is not on the class path. */
final class MissingAlgorithmException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String algorithm;

    MissingAlgorithmException(String algorithm) {
        super("paxoslease.algorithm is '%s', and paxoslease-%s is not on the class path"
                .formatted(algorithm, algorithm));
        this.algorithm = algorithm;
    }

    String algorithm() {
        return algorithm;
    }
}
