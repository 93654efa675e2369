package io.paxoslease.storage.register;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.Map;
import javax.sql.DataSource;

/** A pool of one connection, which stays open; counts what is called. */
final class OneConnection {

    private OneConnection() {}

    static DataSource of(Connection connection, Map<String, Integer> calls) {
        Connection pooled = proxy(Connection.class, connection, calls);
        return (DataSource) Proxy.newProxyInstance(
                OneConnection.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    calls.merge(method.getName(), 1, Integer::sum);
                    return pooled;
                });
    }

    private static <T> T proxy(Class<T> type, T target, Map<String, Integer> calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            calls.merge(method.getName(), 1, Integer::sum);
            if (method.getName().equals("close")) {
                return null;
            }
            try {
                return method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
