package io.paxoslease.spring.shards;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.proxy.AnnotationUsageException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;

/** Finds the groups that the beans of an application context name, or says why there is none. */
final class GroupsOfContext {

    private final ListableBeanFactory beans;

    GroupsOfContext(ListableBeanFactory beans) {
        this.beans = beans;
    }

    /** @throws AnnotationUsageException if no such group works in this context */
    GroupWorker worker(ShardMethodRules method, String group) {
        return worker(method.toString(), group);
    }

    /** @throws AnnotationUsageException if no such group works in this context */
    GroupWorker worker(ShardComponentFactory<?> factory) {
        return worker(
                "The ShardComponentFactory %s"
                        .formatted(Printable.name(factory.getClass().getName())),
                factory.group());
    }

    private GroupWorker worker(String subject, String group) {
        ShardGroups groups = own();
        if (groups == null) {
            throw isInParent()
                    ? new AnnotationUsageException(
                            Printable.text(subject)
                                    + " belongs to a child of the application context that has the groups of shards, and is never called.",
                            "Move its bean to the parent context.")
                    : new AnnotationUsageException(
                            Printable.text(subject) + " is never called: shards are off.",
                            "Set paxoslease.enabled=true, and do not exclude PaxosLeaseShardsAutoConfiguration; or remove the bean."
                                    + " For development and tests, paxoslease.standalone=true makes this instance the owner of every shard.");
        }
        if (groups.names().contains(group)) {
            return groups.worker(group);
        }
        String property = ShardSettings.property(group);
        String bound = ShardSettings.withoutBrackets(group);
        if (groups.names().contains(bound)) {
            throw new AnnotationUsageException(
                    Printable.text(subject)
                            + " names the group '%s', whose settings Spring Boot reads as those of '%s', since the key is not in brackets."
                                    .formatted(Printable.name(group), Printable.name(bound)),
                    "Set %s.count instead of %s.count; in YAML, quote a key in brackets."
                            .formatted(property, ShardSettings.property(bound)));
        }
        throw new AnnotationUsageException(
                Printable.text(subject)
                        + " names the group '%s', and %s.count is not set.".formatted(Printable.name(group), property),
                "Set %s.count to the number of shards, the same on every instance; about ten for each instance that you will ever have."
                        .formatted(property));
    }

    private @Nullable ShardGroups own() {
        String[] names = beans.getBeanNamesForType(ShardGroups.class, true, false);
        return names.length == 0 ? null : beans.getBean(names[0], ShardGroups.class);
    }

    private boolean isInParent() {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, ShardGroups.class, true, false).length > 0;
    }
}
