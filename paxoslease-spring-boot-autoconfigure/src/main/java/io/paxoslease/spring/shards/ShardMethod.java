package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.shards.Shard;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.springframework.util.ReflectionUtils;

/** A method of a bean that takes a shard. */
final class ShardMethod {

    private final Object bean;
    private final Method method;

    ShardMethod(Object bean, Method method) {
        this.bean = bean;
        this.method = method;
        ReflectionUtils.makeAccessible(method);
    }

    /** @throws Exception what the method throws, which may be an undeclared one */
    void call(Shard shard) throws Exception {
        try {
            method.invoke(bean, shard);
        } catch (InvocationTargetException e) {
            Throwable failure = e.getTargetException();
            if (failure instanceof Error error) {
                throw error;
            }
            throw failure instanceof Exception exception ? exception : e;
        }
    }

    @Override
    public String toString() {
        return Printable.name(method.getDeclaringClass().getSimpleName() + "." + method.getName()) + "()";
    }
}
