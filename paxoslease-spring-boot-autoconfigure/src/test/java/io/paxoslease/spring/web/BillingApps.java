package io.paxoslease.spring.web;

import io.paxoslease.election.NotLeaderException;
import io.paxoslease.spring.leader.OnLeader;
import io.paxoslease.spring.leader.OnLeader.Otherwise;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** Applications whose path {@code /bill} answers on the leader of {@code billing} only. */
final class BillingApps {

    private BillingApps() {}

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    @Import(Controllers.class)
    static class Reactive {}

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    @Import(Controllers.class)
    static class Servlet {}

    @Configuration(proxyBeanMethods = false)
    static class Controllers {

        @Bean
        Bills bills(Billing billing) {
            return new Bills(billing);
        }

        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    static class Billing {

        @OnLeader(role = "billing", otherwise = Otherwise.FAIL)
        public String bill() {
            return "billed";
        }
    }

    @RestController
    static class Bills {

        private final Billing billing;

        Bills(Billing billing) {
            this.billing = billing;
        }

        @RequestMapping(
                path = "/bill",
                method = {RequestMethod.GET, RequestMethod.POST})
        String bill() {
            return billing.bill();
        }

        @GetMapping("/mail")
        String mail() {
            throw new NotLeaderException("mail", "of an election that no bean of ours has");
        }

        @GetMapping("/begun")
        String begun() {
            throw new NotLeaderException("billing", "lost in the middle");
        }
    }
}
