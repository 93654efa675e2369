package io.paxoslease.spring.docs;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.fencing.JdbcRuns;
import io.paxoslease.spring.leader.LeaderElections;
import io.paxoslease.spring.lock.PaxosLeaseLock;
import io.paxoslease.spring.lock.PaxosLeaseLockRegistry;
import io.paxoslease.testing.InMemoryCell;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import javax.sql.DataSource;
import org.jspecify.annotations.NullUnmarked;
import org.slf4j.Logger;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the pages take for granted of the reader's own application. It is compiled, and never run. */
@NullUnmarked
@SuppressWarnings("unused")
public final class ReadersCode {

    // The application's beans, as a snippet names them.
    public static final Ledger ledger = null;
    public static final InvoiceWriter invoices = null;
    public static final ReportStore store = null;
    public static final Mailer mailer = null;
    public static final Reminders reminders = null;
    public static final PaymentConsumer consumer = null;
    public static final DataSource dataSource = null;
    public static final SmartLifecycle container = null;
    public static final Logger log = null;
    public static final ExecutorService executor = null;
    public static final LeaderElections elections = null;
    public static final PaxosLeaseLockRegistry registry = null;
    public static final PaxosLease node = null;
    public static final JdbcRuns runs = null;

    // What a test has.
    public static final InMemoryCell cell = null;
    public static final List<String> outbox = null;

    // What a method has around it.
    public static final PaxosLeaseLock lock = null;
    public static final Map<String, String> peers = null;
    public static final Flux<String> rows = null;
    public static final Query query = null;
    public static final String report = null;
    public static long lastNumber;

    private ReadersCode() {}

    public static Mono<Void> send(String row, long token) {
        return Mono.empty();
    }

    public static List<Path> files() {
        return List.of();
    }

    public static void compress(Path file) {}

    public static Invoice nextInvoice() {
        return new Invoice(1);
    }

    public static void billNext() {}

    public static void billNext(long token) {}

    public static void work() {}

    public static void callARemoteServiceForAMinute() {}

    public interface Ledger {
        void write(Object entry);

        void write(Object entry, long token);
    }

    public interface InvoiceWriter {
        void write(long number);

        void writeNext(long token);
    }

    public interface ReportStore {
        void write(String report, long token);
    }

    public interface Mailer {
        void send(String text);
    }

    public interface Reminders {
        void send();
    }

    public interface Query {
        void cancel();
    }

    public interface PaymentQueue {}

    public static class PaymentConsumer implements SmartLifecycle {

        public PaymentConsumer(PaymentQueue queue) {}

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public boolean isRunning() {
            return false;
        }
    }

    public record Transfer(String account, long amount) {}

    public record OrderPaid(String order) {}

    public record Order(long id) {}

    public record Payment(String account, long amount) {}

    public record Invoice(long number) {}
}
