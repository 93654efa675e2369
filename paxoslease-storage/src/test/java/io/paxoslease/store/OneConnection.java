package io.paxoslease.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool of one connection, which stays open, with a driver that does as it is told. */
final class OneConnection {

    /** What the driver really does. */
    interface Real {
        @Nullable
        Object call() throws SQLException;
    }

    /** What it does in place of that. */
    interface Driver {
        @Nullable
        Object call(String method, @Nullable Object[] args, Real real) throws SQLException;
    }

    private OneConnection() {}

    static DataSource of(Connection connection) {
        return of(connection, (method, args, real) -> real.call());
    }

    /** Counts what is called of it and of its connections. */
    static DataSource of(Connection connection, Map<String, Integer> calls) {
        DataSource counting = of(connection, (method, args, real) -> {
            calls.merge(method, 1, Integer::sum);
            return real.call();
        });
        return proxy(DataSource.class, counting, (method, args, real) -> {
            calls.merge(method, 1, Integer::sum);
            return real.call();
        });
    }

    static DataSource of(Connection connection, Driver driver) {
        Connection pooled = proxy(
                Connection.class,
                connection,
                (method, args, real) ->
                        driver.call(method, args, () -> method.equals("close") ? null : driven(real.call(), driver)));
        return (DataSource) Proxy.newProxyInstance(
                OneConnection.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> pooled);
    }

    private static @Nullable Object driven(@Nullable Object made, Driver driver) {
        if (made instanceof PreparedStatement prepared) {
            return proxy(PreparedStatement.class, prepared, driver);
        }
        if (made instanceof DatabaseMetaData about) {
            return proxy(DatabaseMetaData.class, about, driver);
        }
        return made instanceof Statement statement ? proxy(Statement.class, statement, driver) : made;
    }

    private static <T> T proxy(Class<T> type, T target, Driver driver) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) -> driver.call(
                        method.getName(), args == null ? new Object[0] : args, () -> real(target, method, args))));
    }

    private static @Nullable Object real(Object target, Method method, @Nullable Object @Nullable [] args)
            throws SQLException {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException cause) {
                throw cause;
            }
            throw new AssertionError(e);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }
}
