package io.paxoslease.spring.proxy;

import java.time.Duration;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;

/** Schedules a method that classes of other packages do not override. */
public abstract class PackagePrivateTask implements SchedulingConfigurer {

    void run() {}

    @Override
    public void configureTasks(ScheduledTaskRegistrar registrar) {
        registrar.addFixedDelayTask(this::run, Duration.ofHours(1));
    }
}
