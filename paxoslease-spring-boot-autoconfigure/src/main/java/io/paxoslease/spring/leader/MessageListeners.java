package io.paxoslease.spring.leader;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Finds methods that take messages. By names of classes, because none of the libraries is on every class path. */
final class MessageListeners {

    private static final String INTEGRATION = "org.springframework.integration.annotation.";

    /** Annotations of listeners whose containers are in a registry, by id, and the class of the registry. */
    private static final Map<String, String> REGISTRIES = Map.of(
            "org.springframework.kafka.annotation.KafkaListener",
                    "org.springframework.kafka.config.KafkaListenerEndpointRegistry",
            "org.springframework.amqp.rabbit.annotation.RabbitListener",
                    "org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry",
            "org.springframework.jms.annotation.JmsListener",
                    "org.springframework.jms.config.JmsListenerEndpointRegistry");

    /** Not {@code InboundChannelAdapter}, which takes no message: a skipped call has none to send. */
    private static final List<String> ENDPOINTS =
            List.of("Aggregator", "Filter", "Router", "ServiceActivator", "Splitter", "Transformer");

    /** Each takes messages, and has a container that is not found by the method. */
    private static final List<String> OTHERS = List.of(
            "org.springframework.kafka.annotation.KafkaHandler",
            "org.springframework.amqp.rabbit.annotation.RabbitHandler",
            "org.springframework.pulsar.annotation.PulsarListener",
            "org.springframework.pulsar.annotation.ReactivePulsarListener",
            "io.awspring.cloud.sqs.annotation.SqsListener",
            "io.awspring.cloud.sqs.annotation.SqsHandler",
            "org.springframework.messaging.handler.annotation.MessageMapping");

    private MessageListeners() {}

    /**
     * A listener whose container is started and stopped with the role.
     *
     * @param annotation its simple name
     * @param id of the container, with its placeholders; may be empty
     * @param registry the class of the registry that has the container
     */
    record Listener(String annotation, String id, String registry) {}

    /** The listeners that the method is; several if it listens to several sources. */
    static List<Listener> of(Method method) {
        MergedAnnotations annotations = annotationsOf(method);
        return REGISTRIES.entrySet().stream()
                .flatMap(each -> of(annotations, each.getKey(), each.getValue()))
                .toList();
    }

    private static Stream<Listener> of(MergedAnnotations annotations, String type, String registry) {
        return annotations.stream(type).map(found -> new Listener(simpleName(type), found.getString("id"), registry));
    }

    /** Whether the method is an endpoint of Spring Integration that takes messages; the annotation's name. */
    static Optional<String> integrationEndpoint(Method method) {
        MergedAnnotations annotations = annotationsOf(method);
        return ENDPOINTS.stream()
                .filter(each -> annotations.isPresent(INTEGRATION + each))
                .findFirst();
    }

    /** Whether the method takes messages in another way; the annotation's name. */
    static Optional<String> other(Method method) {
        MergedAnnotations annotations = annotationsOf(method);
        return OTHERS.stream()
                .<MergedAnnotation<Annotation>>map(each -> annotations.get(each))
                .filter(MergedAnnotation::isPresent)
                .map(found -> found.getRoot().getType().getSimpleName())
                .findFirst();
    }

    private static MergedAnnotations annotationsOf(Method method) {
        return MergedAnnotations.from(
                method, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables());
    }

    private static String simpleName(String type) {
        return type.substring(type.lastIndexOf('.') + 1);
    }
}
