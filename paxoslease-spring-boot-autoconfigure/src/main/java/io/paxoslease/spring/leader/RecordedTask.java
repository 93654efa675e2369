package io.paxoslease.spring.leader;

import io.paxoslease.PaxosLease;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TimeZone;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;
import org.springframework.util.StringUtils;

/**
 * A scheduled method of which a new leader makes up for the latest slot.
 *
 * @param name the class and the method, as {@code Reports.nightly()}
 * @param scheduler the name of its scheduler bean; empty: the application's only one
 */
record RecordedTask(String role, String name, CronSlots slots, String scheduler) {

    /** The members keep both in one name of a register. */
    private static final int MAX_NAME_BYTES = PaxosLease.MAX_RESOURCE_BYTES - 16;

    String key() {
        return role + "/" + name;
    }

    /** Whether the annotation asks for it and applies to this method: on a class it does so to methods with a cron expression. */
    static boolean isAskedFor(Method method, OnLeader annotation) {
        return annotation.missed() == OnLeader.Missed.RUN_ON_GRANT
                && (AnnotatedElementUtils.hasAnnotation(method, OnLeader.class)
                        || schedules(method).stream()
                                .anyMatch(each -> !each.cron().isEmpty()));
    }

    /**
     * Whether placeholders are valid is not checked, as they may be unknown yet.
     *
     * @throws AnnotationUsageException if no slots of this method can be known
     */
    static void check(Method method, OnLeader annotation) {
        if (!isAskedFor(method, annotation)) {
            return;
        }
        Set<Scheduled> schedules = schedules(method);
        if (schedules.size() != 1 || schedules.iterator().next().cron().isEmpty()) {
            throw OnLeaderRules.misuse(
                    method,
                    "has missed = RUN_ON_GRANT, which is for methods with one @Scheduled(cron = \"...\"): only a cron expression says"
                            + " when a run was due, whichever node leads.",
                    "Give it one cron expression, or leave missed out.");
        }
        if (method.getReturnType() != void.class) {
            throw OnLeaderRules.misuse(
                    method,
                    "has missed = RUN_ON_GRANT and returns %s; a run is finished when the method returns, so it must return void."
                            .formatted(method.getReturnType().getSimpleName()),
                    "Let it wait for its work and return void, or leave missed out.");
        }
    }

    /**
     * @return null if it is not asked for, or the expression switches the schedule off
     * @throws AnnotationUsageException if the expression, the time zone or the name cannot be used
     */
    static @Nullable RecordedTask of(
            Method method, Class<?> type, OnLeader annotation, UnaryOperator<String> resolver) {
        if (!isAskedFor(method, annotation)) {
            return null;
        }
        Scheduled scheduled = schedules(method).iterator().next();
        String cron = resolver.apply(scheduled.cron());
        if (cron.equals(Scheduled.CRON_DISABLED)) {
            return null;
        }
        String name = "%s.%s()".formatted(type.getSimpleName(), method.getName());
        String role = resolver.apply(annotation.role());
        if ((role + name).getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
            throw OnLeaderRules.misuse(
                    method,
                    "has missed = RUN_ON_GRANT, and its name and its role have more than %d bytes together."
                            .formatted(MAX_NAME_BYTES),
                    "Shorten one of them.");
        }
        try {
            String zone = resolver.apply(scheduled.zone());
            TimeZone timeZone = zone.isEmpty() ? TimeZone.getDefault() : StringUtils.parseTimeZoneString(zone);
            CronSlots slots = new CronSlots(CronExpression.parse(cron), timeZone.toZoneId());
            return new RecordedTask(role, name, slots, scheduled.scheduler());
        } catch (IllegalArgumentException e) {
            throw OnLeaderRules.misuse(
                    method,
                    "has a schedule that cannot be read: %s.".formatted(e.getMessage()),
                    "Mend the cron expression or the time zone of its @Scheduled.");
        }
    }

    private static Set<Scheduled> schedules(Method method) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class, Schedules.class);
    }
}
