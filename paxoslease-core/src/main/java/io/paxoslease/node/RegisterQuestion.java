package io.paxoslease.node;

import io.paxoslease.PaxosLeaseException;
import io.paxoslease.protocol.Printable;
import io.paxoslease.protocol.registers.MaxRegisterMessage.RaiseRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.ReadRegister;
import io.paxoslease.protocol.registers.MaxRegisterMessage.Request;
import io.paxoslease.protocol.registers.RegisterCall;
import io.paxoslease.protocol.registers.RegisterMode;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What a user asks of a register: one attempt after the other, if the members are asked in another mode meanwhile (R8). */
final class RegisterQuestion {

    final String register;
    /** Empty: it is read. */
    final OptionalLong value;

    final Duration limit;
    final CompletableFuture<OptionalLong> answer = new CompletableFuture<>();
    /** Of the present attempt. */
    volatile long number;
    /** Of the node's thread; null before it has begun. */
    @Nullable
    RegisterCall attempt;

    RegisterQuestion(String register, OptionalLong value, Duration limit, long number) {
        this.register = register;
        this.value = value;
        this.limit = limit;
        this.number = number;
    }

    /** For an attempt in that mode. */
    Request request(RegisterMode mode) {
        return value.isPresent()
                ? new RaiseRegister(number, register, value.getAsLong(), mode)
                : new ReadRegister(number, register, mode);
    }

    PaxosLeaseException refused(int waiting) {
        return new PaxosLeaseException(
                "Register '%s' was not asked for: %d requests on registers wait already, so await some of them first"
                        .formatted(Printable.name(register), waiting));
    }

    PaxosLeaseException unanswered() {
        boolean isRaise = value.isPresent();
        return new PaxosLeaseException("Register '%s' was not %s: no majority of the members answered within %d ms%s"
                .formatted(
                        Printable.name(register),
                        isRaise ? "raised" : "read",
                        limit.toMillis(),
                        isRaise ? ", but some of them may have the value" : ""));
    }
}
