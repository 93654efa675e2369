package io.paxoslease.spring.lock;

import io.paxoslease.storage.StorageOptions;
import io.paxoslease.store.JdbcRegister;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The contract over a table of a database. */
@Tag("slow")
class StorageLockRegistryContractTest extends CellLockContract {

    private static final StoreOutage STORE = new StoreOutage(
            new JdbcRegister(new DriverManagerDataSource("jdbc:h2:mem:lock-contract;DB_CLOSE_DELAY=-1", "sa", ""))
                    .withInitializedSchema());

    StorageLockRegistryContractTest() {
        super(LockCell.ofStore(StorageOptions.builder(STORE)
                .accessBound(Duration.ofMillis(100))
                .build()));
    }

    @Override
    AutoCloseable outage() {
        return STORE.begin();
    }
}
