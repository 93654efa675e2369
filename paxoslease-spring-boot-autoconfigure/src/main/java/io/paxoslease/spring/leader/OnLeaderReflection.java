package io.paxoslease.spring.leader;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;

/** Keeps the methods of annotated classes in a native image: a method that is not found there would not be guarded. */
final class OnLeaderReflection extends SimpleReflectiveProcessor {

    @Override
    protected void registerTypeHint(ReflectionHints hints, Class<?> type) {
        hints.registerType(type, MemberCategory.INVOKE_DECLARED_METHODS);
    }
}
