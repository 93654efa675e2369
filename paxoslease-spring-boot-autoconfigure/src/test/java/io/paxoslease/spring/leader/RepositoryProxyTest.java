package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.paxoslease.spring.autoconfigure.PaxosLeaseTestSupport;
import io.paxoslease.spring.lock.Locked;
import io.paxoslease.spring.lock.LockedCall;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;

/** Interfaces that have no implementation but the proxy of a factory bean, as repositories and clients of HTTP services. */
class RepositoryProxyTest {

    @Test
    void theInterfaceOfARepositoryIsGuarded() {
        PaxosLeaseTestSupport.runner().withBean(OrdersFactory.class).run(context -> {
            Orders orders = context.getBean(Orders.class);
            LeaderElections elections = context.getBean(LeaderElections.class);
            assertThat(elections.roles()).containsExactly("purge");
            await().until(() -> elections.isLeader("purge"));
            assertThat(orders.purge()).isEqualTo("purged");
            assertThat(orders.deleteAll()).isEqualTo("deleted all");
            assertThat(orders.count()).isEqualTo("3 under k");
            assertThat(orders.findAll()).isEqualTo("all");
            elections.stop();
            assertThat(orders.purge()).isNull();
            assertThat(orders.deleteAll()).isNull();
            assertThat(orders.findAll()).isEqualTo("all");
        });
    }

    @Test
    void anAnnotationOnTheInterfaceAppliesToInheritedMethodsOfEachRepository() {
        PaxosLeaseTestSupport.runner()
                .withBean(ReportsFactory.class)
                .withBean(OrdersFactory.class)
                .run(context -> {
                    LeaderElections elections = context.getBean(LeaderElections.class);
                    await().until(() -> elections.isLeader("reports"));
                    Reports reports = context.getBean(Reports.class);
                    assertThat(reports.findAll()).isEqualTo("all");
                    elections.stop();
                    assertThat(reports.findAll()).isNull();
                    assertThat(context.getBean(Orders.class).findAll()).isEqualTo("all");
                });
    }

    @Test
    void theInterfaceOfAClientIsGuarded() {
        PaxosLeaseTestSupport.runner().withBean(ClientFactory.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            await().until(() -> elections.isLeader("reports"));
            Client client = context.getBean(Client.class);
            assertThat(client.findAll()).isEqualTo("findAll");
            assertThat(client.send()).isEqualTo("send");
            elections.stop();
            assertThat(client.findAll()).isNull();
            assertThat(client.send()).isNull();
        });
    }

    interface Repository {
        @Nullable
        String findAll();

        @Nullable
        String deleteAll();
    }

    interface Orders extends Repository {
        @OnLeader("purge")
        @Nullable
        String purge();

        @Override
        @OnLeader("purge")
        @Nullable
        String deleteAll();

        @Locked("k")
        String count();
    }

    @OnLeader("reports")
    interface Reports extends Repository {}

    @OnLeader("reports")
    interface Client extends Repository {
        @Nullable
        String send();
    }

    /** Implements what repositories have in common, and none of their interfaces. */
    public static class BaseRepository {
        public String findAll() {
            return "all";
        }

        public String deleteAll() {
            return "deleted all";
        }
    }

    abstract static class RepositoryFactory<T> implements FactoryBean<T> {

        private final Class<T> type;

        RepositoryFactory(Class<T> type) {
            this.type = type;
        }

        @Override
        public T getObject() {
            ProxyFactory factory = new ProxyFactory();
            factory.setTarget(new BaseRepository());
            factory.setInterfaces(type);
            factory.addAdvice((MethodInterceptor) call -> switch (call.getMethod()
                    .getName()) {
                case "purge" -> "purged";
                case "count" -> "3 under " + LockedCall.current().key();
                case "findAll", "deleteAll" ->
                    BaseRepository.class.getMethod(call.getMethod().getName()).invoke(call.getThis());
                default -> call.proceed();
            });
            return type.cast(factory.getProxy());
        }

        @Override
        public Class<?> getObjectType() {
            return type;
        }
    }

    static class OrdersFactory extends RepositoryFactory<Orders> {
        OrdersFactory() {
            super(Orders.class);
        }
    }

    static class ReportsFactory extends RepositoryFactory<Reports> {
        ReportsFactory() {
            super(Reports.class);
        }
    }

    /** Without a target. */
    static class ClientFactory implements FactoryBean<Client> {
        @Override
        public Client getObject() {
            return ProxyFactory.getProxy(
                    Client.class, (MethodInterceptor) call -> call.getMethod().getName());
        }

        @Override
        public Class<?> getObjectType() {
            return Client.class;
        }
    }
}
