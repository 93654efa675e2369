package io.paxoslease.spring.web;

import io.paxoslease.election.NotLeaderException;
import java.net.URI;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Answers requests of Spring WebFlux that fail with {@link NotLeaderException}. A handler of the exception in the controller goes first, and
 * so does one in an advice with a lower order.
 */
@ControllerAdvice
@Order(0)
final class NotLeaderReactiveAdvice {

    private final NotLeaderResponses responses;

    NotLeaderReactiveAdvice(NotLeaderResponses responses) {
        this.responses = responses;
    }

    /** Not on the event loop: the search for the leader waits for the node's thread. */
    @ExceptionHandler
    Mono<ResponseEntity<ProblemDetail>> notLeader(NotLeaderException refused, ServerWebExchange exchange) {
        URI uri = exchange.getRequest().getURI();
        return Mono.fromCallable(() -> responses.answer(refused, uri.getRawPath(), uri.getRawQuery()))
                .subscribeOn(Schedulers.boundedElastic());
    }
}
