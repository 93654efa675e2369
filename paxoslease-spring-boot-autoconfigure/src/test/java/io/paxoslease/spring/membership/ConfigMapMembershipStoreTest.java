package io.paxoslease.spring.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.paxoslease.GenerationOptions;
import io.paxoslease.Membership;
import io.paxoslease.MembershipStore;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConfigMapMembershipStoreTest {

    private static final String NAME = "shop-members";
    private static final int THREADS = 5;

    private final Path serviceAccount;
    private final FakeKubernetes kubernetes;

    ConfigMapMembershipStoreTest(@TempDir Path serviceAccount) throws Exception {
        this.serviceAccount = serviceAccount;
        this.kubernetes = new FakeKubernetes(serviceAccount);
    }

    @AfterEach
    void stop() {
        kubernetes.close();
    }

    private MembershipStore open() {
        return open(kubernetes.environment(), null);
    }

    private MembershipStore open(Map<String, String> environment, @Nullable String namespace) {
        return new ConfigMapMembershipStore(new KubernetesApi(environment, serviceAccount), NAME, namespace, "shop");
    }

    private static Membership membership(int generation, String writer) {
        Map<String, InetSocketAddress> peers = Map.of(
                writer,
                InetSocketAddress.createUnresolved("10.0.0.1", 7400),
                "ü\"",
                InetSocketAddress.createUnresolved("::1", 7400));
        GenerationOptions.Previous previous =
                generation == 1 ? null : new GenerationOptions.Previous(peers, Duration.ofMillis(1_500), 0.05);
        return new Membership(new GenerationOptions(generation, previous), peers, Duration.ofSeconds(5), 0.1, false);
    }

    @Test
    void theFirstNodeCreatesIt() throws IOException {
        MembershipStore store = open();
        assertThat(store.read()).isNull();
        assertThat(store.replace(membership(1, "a"), membership(2, "a"))).isFalse();
        kubernetes.requests();
        assertThat(store.replace(null, membership(1, "a"))).isTrue();
        assertThat(kubernetes.requests()).containsExactly("GET 404", "POST 201");
        assertThat(open().read()).isEqualTo(membership(1, "a"));
        assertThat(store.replace(null, membership(1, "b"))).isFalse();
    }

    @Test
    void aChangeReplacesWhatWasRead() throws IOException {
        MembershipStore store = open();
        store.replace(null, membership(1, "a"));
        assertThat(open().replace(membership(1, "a"), membership(2, "b"))).isTrue();
        assertThat(store.read()).isEqualTo(membership(2, "b"));
        assertThat(store.replace(membership(1, "a"), membership(2, "a"))).isFalse();
        assertThat(store.read()).isEqualTo(membership(2, "b"));
    }

    /** One that was deployed before the first node, and what people keep in it, stays. */
    @Test
    void whatElseIsInItStays() throws IOException {
        kubernetes.put(NAME, """
                {"metadata": {"annotations": {"team": "payments"}}, "data": {"note": "do not delete"}}
                """);
        MembershipStore store = open();
        assertThat(store.read()).isNull();
        assertThat(store.replace(null, membership(1, "a"))).isTrue();
        assertThat(store.read()).isEqualTo(membership(1, "a"));
        assertThat(kubernetes.get(NAME).at("/data/note").asString()).isEqualTo("do not delete");
        assertThat(kubernetes.get(NAME).at("/metadata/annotations/team").asString())
                .isEqualTo("payments");
        kubernetes.put(NAME, "{\"metadata\": {}}");
        assertThat(store.replace(null, membership(1, "b"))).isTrue();
        assertThat(store.read()).isEqualTo(membership(1, "b"));
    }

    @Test
    void ofTheWritesThatExpectTheSameOneIsStored() throws Exception {
        Membership expected = null;
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            for (int generation = 1; generation < 8; generation++) {
                CyclicBarrier start = new CyclicBarrier(THREADS);
                List<Future<Boolean>> writes = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    Membership last = expected;
                    Membership next = membership(generation, "n" + i);
                    writes.add(threads.submit(() -> {
                        start.await();
                        return open().replace(last, next);
                    }));
                }
                List<Boolean> stored = new ArrayList<>();
                for (Future<Boolean> write : writes) {
                    stored.add(write.get(30, TimeUnit.SECONDS));
                }
                assertThat(stored).containsOnlyOnce(true);
                expected = membership(generation, "n" + stored.indexOf(true));
                assertThat(open().read()).isEqualTo(expected);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Between the read and the write of a change somebody else is faster, by a hair. */
    @Test
    void aVersionThatIsNotTheOneReadIsARaceLost() throws IOException {
        MembershipStore store = open();
        store.replace(null, membership(1, "a"));
        kubernetes.beforeUpdate(() -> kubernetes.put(NAME, "{\"data\": {\"membership\": \"theirs\"}}"));
        kubernetes.requests();
        assertThat(store.replace(membership(1, "a"), membership(2, "a"))).isFalse();
        assertThat(kubernetes.requests()).containsExactly("GET 200", "PUT 409");
        assertThat(kubernetes.get(NAME).at("/data/membership").asString()).isEqualTo("theirs");
    }

    @Test
    void oneThatIsDeletedInTheMiddleIsARaceLost() throws IOException {
        MembershipStore store = open();
        store.replace(null, membership(1, "a"));
        kubernetes.beforeUpdate(() -> kubernetes.delete(NAME));
        assertThat(store.replace(membership(1, "a"), membership(2, "a"))).isFalse();
        assertThat(store.read()).isNull();
    }

    @Test
    void whatIsNoMembershipIsAnErrorThatSaysWhereAndIsNotReplaced() {
        kubernetes.put(NAME, "{\"data\": {\"membership\": \"format=1\\ncell=other\\n\"}}");
        MembershipStore store = open();
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot understand the config map 'shop-members': it is cut off")
                .hasMessageContaining("its key 'membership'");
        assertThatThrownBy(() -> store.replace(null, membership(1, "a"))).isInstanceOf(IOException.class);
        kubernetes.put(NAME, "{\"data\": {\"membership\": \"format=1\\ncell=other\\nend\"}}");
        assertThatThrownBy(store::read).hasMessageContaining("it is of the cell 'other' and not of 'shop'");
        assertThat(kubernetes.get(NAME).at("/data/membership").asString()).contains("cell=other");
    }

    @Test
    void aVerbThatTheRoleDoesNotAllowIsNamed() throws IOException {
        MembershipStore store = open();
        kubernetes.forbid("get");
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot read the config map 'shop-members': Kubernetes answers 403")
                .hasMessageContaining("system:serviceaccount:shops:default")
                .hasMessageContaining("the verb 'get' is missing");
        kubernetes.forbid("create");
        assertThatThrownBy(() -> store.replace(null, membership(1, "a")))
                .hasMessageContaining("the verb 'create' is missing");
        kubernetes.forbid(null);
        store.replace(null, membership(1, "a"));
        kubernetes.forbid("update");
        assertThatThrownBy(() -> store.replace(membership(1, "a"), membership(2, "a")))
                .hasMessageContaining("the verb 'update' is missing");
        assertThat(store.read()).isEqualTo(membership(1, "a"));
    }

    @Test
    void anImmutableOneIsAnError() throws IOException {
        MembershipStore store = open();
        store.replace(null, membership(1, "a"));
        var immutable = kubernetes.get(NAME).put("immutable", true);
        kubernetes.put(NAME, immutable.toString());
        assertThatThrownBy(() -> store.replace(membership(1, "a"), membership(2, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Kubernetes answers 422, data: Forbidden: field is immutable");
    }

    /** The kubelet replaces the file long before the old token expires. */
    @Test
    void aTokenIsReadAgainEachTime() throws IOException {
        MembershipStore store = open();
        store.replace(null, membership(1, "a"));
        kubernetes.renewToken("second");
        assertThat(store.read()).isEqualTo(membership(1, "a"));
        kubernetes.expireToken("third");
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not accept the token in " + serviceAccount.resolve("token"))
                .hasMessageContaining("it may have expired");
        kubernetes.renewToken("third");
        assertThat(store.read()).isEqualTo(membership(1, "a"));
    }

    @Test
    void aServerThatTheClusterDoesNotVouchForIsNotTrusted() throws Exception {
        MembershipStore store = open();
        assertThat(store.read()).isNull();
        String certificates = Files.readString(serviceAccount.resolve("ca.crt"));
        kubernetes.trustSomebodyElse();
        kubernetes.requests();
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Kubernetes does not answer at https://127.0.0.1:")
                .hasMessageContaining("PKIX path");
        assertThat(kubernetes.requests()).as("with a token").isEmpty();
        Files.writeString(serviceAccount.resolve("ca.crt"), certificates);
        assertThat(store.read()).isNull();
        Files.writeString(serviceAccount.resolve("ca.crt"), "-----BEGIN CERTIFICATE-----\nnonsense");
        assertThatThrownBy(store::read).hasMessageContaining("Cannot use the certificates in");
    }

    @Test
    void anotherNamespaceIsAskedIfItIsGiven() throws IOException {
        assertThat(open(kubernetes.environment(), FakeKubernetes.NAMESPACE).replace(null, membership(1, "a")))
                .isTrue();
        assertThat(open().read()).isEqualTo(membership(1, "a"));
        MembershipStore elsewhere = open(kubernetes.environment(), "nowhere");
        assertThat(elsewhere.read()).isNull();
        assertThatThrownBy(() -> elsewhere.replace(null, membership(1, "a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Cannot create the config map 'shop-members' of namespace 'nowhere'")
                .hasMessageContaining("there is no such namespace");
    }

    @Test
    void aProcessThatIsInNoPodIsTold() throws IOException {
        assertThatThrownBy(open(Map.of(), null)::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("This process runs in no pod: KUBERNETES_SERVICE_HOST is not set");
        assertThatThrownBy(open(Map.of("KUBERNETES_SERVICE_HOST", "a b"), null)::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("are no address");
        Files.writeString(serviceAccount.resolve("namespace"), "../../secrets");
        assertThatThrownBy(open()::read).hasMessageContaining("set paxoslease.membership-store.namespace");
        Files.delete(serviceAccount.resolve("namespace"));
        assertThatThrownBy(open()::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("let the pod have a service account and mount its token");
    }

    @Test
    void aServerThatIsGoneIsAnError() throws IOException {
        MembershipStore store = open();
        kubernetes.close();
        assertThatThrownBy(store::read)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Kubernetes does not answer at https://127.0.0.1:");
        Thread.currentThread().interrupt();
        assertThatThrownBy(store::read).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void namesAreThoseOfKubernetes() {
        for (String name : List.of("", "Shop", "a/b", "a?b", "-a", "..")) {
            assertThatThrownBy(() -> ConfigMapMembershipStore.inCluster(name, null, "shop"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is no name of a config map");
        }
        assertThatThrownBy(() -> ConfigMapMembershipStore.inCluster("shop", "a.b", "shop"))
                .hasMessageContaining("is no name of a namespace");
        assertThat(ConfigMapMembershipStore.inCluster("shop.members", null, "shop")
                        .describe())
                .isEqualTo("config map 'shop.members'");
    }
}
