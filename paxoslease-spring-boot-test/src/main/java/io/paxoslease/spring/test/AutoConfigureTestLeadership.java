package io.paxoslease.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * On a test class: makes this application a node of an {@linkplain io.paxoslease.testing.InMemoryCell in-memory cell}, and
 * provides a {@link TestLeadership} and a {@link TestShards} to the test. No port is opened, {@code paxoslease.peers} is not
 * needed, and the application leads no role and owns no shard until the test grants it.
 *
 * <pre class="code">
 * &#064;SpringBootTest
 * &#064;AutoConfigureTestLeadership
 * class RemindersTests {
 *
 *     &#064;Autowired TestLeadership leadership;
 *     &#064;Autowired Reminders reminders;
 *
 *     &#064;Test
 *     void onlyTheLeaderSends() {
 *         reminders.send();
 *         assertThat(outbox).isEmpty();
 *         leadership.grant();
 *         reminders.send();
 *         assertThat(outbox).hasSize(1);
 *     }
 * }
 * </pre>
 *
 * <p>In a test of a part of an application, such as {@code @WebMvcTest}, it adds the auto-configuration of leases: without it,
 * {@code @OnLeader}, {@code @Locked} and {@code @OnShard} are not looked at there.
 *
 * <p>Locks work at once, and are renewed; the lease times are those of {@code paxoslease.lease-time} and
 * {@code paxoslease.max-lease-time}. After each test method every granted role and shard is revoked.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@Import(TestLeadershipConfiguration.class)
public @interface AutoConfigureTestLeadership {}
