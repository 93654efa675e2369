package io.paxoslease.protocol.storage;

import io.paxoslease.protocol.ResourceTable;
import io.paxoslease.protocol.Timing;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is known of the order of stamps, for those who judge a client from another package. */
public final class StoredRounds {

    private StoredRounds() {}

    /** The round of the stamp; zero when there is none. */
    public static long of(@Nullable Content content, boolean compares) {
        StorageRules rules = new StorageRules(new Timing(Duration.ofSeconds(1), 0), 1, compares, false);
        return content == null ? 0 : rules.round(StampCodec.decode(content).sequence());
    }

    /** Who wrote the stamp. */
    public static String writer(@Nullable Content content) {
        return content == null ? "" : StampCodec.decode(content).incarnation().toString();
    }

    /** The highest round that the client knows to have been in the register; negative: none. */
    public static long of(StorageClient client, String resource) {
        try {
            ResourceTable<?> table = (ResourceTable<?>) value(StorageClient.class, "table", client);
            Map<?, ?> idle = (Map<?, ?>) value(StorageClient.class, "seen", client);
            Object observation = table.get(resource) instanceof ResourceState state ? state.seen : idle.get(resource);
            return observation == null ? -1 : (long) value(RegisterObservation.class, "highestStored", observation);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static Object value(Class<?> type, String name, Object of) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }
}
