package io.paxoslease.spring.actuate;

import io.paxoslease.protocol.Printable;
import io.paxoslease.spring.actuate.MembersDescriptor.RefusalDescriptor;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Refuses a change of the members that gives something that the operation does not know, over HTTP with 400. Spring Boot would leave it out: a
 * misspelt setting would not be changed, and the answer would say that the change is stored. It would also take a property of the body or the
 * query for the part of the path that has its name.
 */
final class ChangeBodyCheck implements OperationInvokerAdvisor {

    private static final EndpointId LEASES = EndpointId.of("leases");

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType operation, OperationParameters parameters, OperationInvoker invoker) {
        if (operation != OperationType.WRITE || !LEASES.equals(endpoint)) {
            return invoker;
        }
        Set<String> ofPath = names(parameters, true);
        Set<String> ofBody = names(parameters, false);
        return context -> {
            Set<String> unknown = new TreeSet<>(context.getArguments().keySet());
            unknown.removeAll(ofBody);
            unknown.removeIf(name -> ofPath.contains(name)
                    && context.getArguments().get(name) instanceof String[]); // a text is no path's
            return unknown.isEmpty() ? invoker.invoke(context) : refusal(unknown, ofBody);
        };
    }

    private static Set<String> names(OperationParameters parameters, boolean isOfPath) {
        return parameters.stream()
                .filter(parameter -> (parameter.getAnnotation(Selector.class) != null) == isOfPath)
                .map(OperationParameter::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static WebEndpointResponse<RefusalDescriptor> refusal(Collection<String> unknown, Set<String> known) {
        return new WebEndpointResponse<>(
                new RefusalDescriptor("A change of the members has no %s: give only %s"
                        .formatted(
                                unknown.stream()
                                        .limit(3)
                                        .map(name -> "'" + Printable.name(name) + "'")
                                        .collect(Collectors.joining(", ")),
                                String.join(", ", known))),
                WebEndpointResponse.STATUS_BAD_REQUEST);
    }
}
