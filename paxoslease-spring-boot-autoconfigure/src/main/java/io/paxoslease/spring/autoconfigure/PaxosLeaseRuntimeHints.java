package io.paxoslease.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Keeps in a native image the statements that create tables, and the field of Spring Integration that a guard of polls is added to. */
final class PaxosLeaseRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources()
                .registerPattern("io/paxoslease/store/schema.sql")
                .registerPattern("io/paxoslease/spring/fencing/*.sql");
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.integration.endpoint.AbstractPollingEndpoint",
                        hint -> hint.withField("adviceChain"));
    }
}
