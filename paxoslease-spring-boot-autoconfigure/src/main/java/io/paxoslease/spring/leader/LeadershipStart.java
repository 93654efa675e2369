package io.paxoslease.spring.leader;

import io.paxoslease.protocol.Printable;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Begins the elections of this application context once it is ready, or once it has started. */
final class LeadershipStart implements ApplicationListener<ApplicationEvent> {

    private static final Logger log = LoggerFactory.getLogger(LeaderElections.class);

    private final ApplicationContext context;
    private final ObjectProvider<LeaderElections> elections;
    private final boolean startsReady;

    LeadershipStart(ApplicationContext context, ObjectProvider<LeaderElections> elections, boolean startsReady) {
        this.context = context;
        this.elections = elections;
        this.startsReady = startsReady && runsInSpringApplication(context);
    }

    /** Without one, no event says that the application is ready. */
    private static boolean runsInSpringApplication(ApplicationContext context) {
        return context.containsLocalBean("springApplicationArguments");
    }

    /** Events of child contexts come here too: this context has its own ones first. */
    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof ContextRefreshedEvent && !startsReady && event.getSource() == context) {
            elections.ifAvailable(LeaderElections::begin);
        } else if (event instanceof AvailabilityChangeEvent<?> change
                && change.getState() == ReadinessState.ACCEPTING_TRAFFIC
                && startsReady) {
            elections.ifAvailable(LeaderElections::begin);
        } else if (event instanceof ApplicationStartedEvent started
                && startsReady
                && started.getApplicationContext() == context) {
            announceWait();
        }
    }

    /** A runner that does not return would otherwise wait for leadership without a word. */
    private void announceWait() {
        List<String> runners = Stream.<Class<?>>of(ApplicationRunner.class, CommandLineRunner.class)
                .flatMap(type -> Stream.of(context.getBeanNamesForType(type)))
                .toList();
        if (!runners.isEmpty()
                && !elections.stream().allMatch(each -> each.roles().isEmpty())) {
            log.info(
                    "This node contests its roles once these runners have returned: {}. With paxoslease.leadership.start=started it does not wait for them",
                    Printable.line(runners));
        }
    }
}
