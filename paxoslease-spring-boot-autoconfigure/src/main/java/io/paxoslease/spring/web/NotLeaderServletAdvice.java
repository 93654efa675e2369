package io.paxoslease.spring.web;

import io.paxoslease.election.NotLeaderException;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.core.annotation.Order;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers requests of Spring MVC that fail with {@link NotLeaderException}. A handler of the exception in the controller goes first, and so
 * does one in an advice with a lower order.
 */
@ControllerAdvice
@Order(0)
final class NotLeaderServletAdvice {

    private final NotLeaderResponses responses;

    NotLeaderServletAdvice(NotLeaderResponses responses) {
        this.responses = responses;
    }

    @ExceptionHandler
    ResponseEntity<ProblemDetail> notLeader(NotLeaderException refused, HttpServletRequest request) {
        return responses.answer(refused, request.getRequestURI(), request.getQueryString());
    }
}
