package io.paxoslease.spring.leader;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;

/** A call of a method on a fresh object that must not proceed. */
record FixedInvocation(Method method) implements MethodInvocation {

    @Override
    public Method getMethod() {
        return method;
    }

    @Override
    public Object[] getArguments() {
        return new Object[0];
    }

    @Override
    public Object proceed() {
        throw new AssertionError("proceeded");
    }

    @Override
    public Object getThis() {
        return new Object();
    }

    @Override
    public AccessibleObject getStaticPart() {
        return method;
    }
}
