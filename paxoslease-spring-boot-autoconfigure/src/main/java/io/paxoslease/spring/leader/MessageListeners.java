package io.paxoslease.spring.leader;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Finds methods that take messages. By names of classes, because none of the libraries is on every class path. */
final class MessageListeners {

    private static final String INTEGRATION = "org.springframework.integration.annotation.";

    /** Not {@code InboundChannelAdapter}, which takes no message: a skipped call has none to send. */
    private static final List<String> ENDPOINTS = Stream.of(
                    "Aggregator", "Filter", "Router", "ServiceActivator", "Splitter", "Transformer")
            .map(INTEGRATION::concat)
            .toList();

    /** The last one is on the annotations of most listeners. */
    private static final List<String> LISTENERS = List.of(
            "org.springframework.kafka.annotation.KafkaListener",
            "org.springframework.kafka.annotation.KafkaHandler",
            "org.springframework.amqp.rabbit.annotation.RabbitListener",
            "org.springframework.amqp.rabbit.annotation.RabbitHandler",
            "org.springframework.jms.annotation.JmsListener",
            "org.springframework.pulsar.annotation.PulsarListener",
            "org.springframework.pulsar.annotation.ReactivePulsarListener",
            "io.awspring.cloud.sqs.annotation.SqsListener",
            "io.awspring.cloud.sqs.annotation.SqsHandler",
            "org.springframework.messaging.handler.annotation.MessageMapping");

    private MessageListeners() {}

    /** The annotation that makes the method an endpoint of Spring Integration that takes messages, by its simple name. */
    static Optional<String> integrationEndpoint(Method method) {
        return annotation(method, ENDPOINTS);
    }

    /** The annotation that makes the method a listener in a container, by its simple name. */
    static Optional<String> listener(Method method) {
        return annotation(method, LISTENERS);
    }

    private static Optional<String> annotation(Method method, List<String> types) {
        MergedAnnotations annotations = MergedAnnotations.from(
                method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
        return types.stream()
                .<MergedAnnotation<Annotation>>map(type -> annotations.get(type))
                .filter(MergedAnnotation::isPresent)
                .map(found -> found.getRoot().getType().getSimpleName())
                .findFirst();
    }
}
