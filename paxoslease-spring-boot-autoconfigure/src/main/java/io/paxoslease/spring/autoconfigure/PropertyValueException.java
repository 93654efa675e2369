package io.paxoslease.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** An invalid value with the exception that it led to. Spring Boot has a public constructor for that from 4.1 on only. */
final class PropertyValueException extends InvalidConfigurationPropertyValueException {

    private static final long serialVersionUID = 1;

    private final @Nullable Throwable cause;

    PropertyValueException(String name, @Nullable Object value, String reason, @Nullable Throwable cause) {
        super(name, value, reason);
        this.cause = cause;
    }

    @Override
    public synchronized @Nullable Throwable getCause() {
        return cause;
    }
}
