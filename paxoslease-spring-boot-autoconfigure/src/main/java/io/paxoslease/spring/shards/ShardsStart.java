package io.paxoslease.spring.shards;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/** Begins to work on shards when the elections of the context begin: once the application is ready, or once it has started. */
final class ShardsStart implements ApplicationListener<ApplicationEvent> {

    private final ApplicationContext context;
    private final ShardGroupsLifecycle groups;
    private final boolean startsReady;

    /** @param startsReady unless the context runs without a SpringApplication, which would tell of that */
    ShardsStart(ApplicationContext context, ShardGroupsLifecycle groups, boolean startsReady) {
        this.context = context;
        this.groups = groups;
        this.startsReady = startsReady && context.containsLocalBean("springApplicationArguments");
    }

    /** Events of child contexts come here too: this context has its own ones first. */
    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (startsReady) {
            if (event instanceof AvailabilityChangeEvent<?> change
                    && change.getState() == ReadinessState.ACCEPTING_TRAFFIC) {
                groups.begin();
            }
        } else if (event instanceof ContextRefreshedEvent && event.getSource() == context) {
            groups.begin();
        }
    }
}
