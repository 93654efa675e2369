package io.paxoslease.samples.fencing.instance;

import io.paxoslease.spring.fencing.JdbcFence;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/** The invoices in the database. Each transaction passes the fence first. */
@Repository
class Invoices {

    private static final String RESOURCE = "invoices";

    private final JdbcClient jdbc;
    private final JdbcFence fence;
    private final String instance;
    private final boolean fenced;

    /** @param fenced whether to use the fence; without it an old leader's write is not refused */
    Invoices(
            JdbcClient jdbc,
            JdbcFence fence,
            @Value("${instance}") String instance,
            @Value("${sample.fenced:true}") boolean fenced) {
        this.jdbc = jdbc;
        this.fence = fence;
        this.instance = instance;
        this.fenced = fenced;
    }

    /** The last number; from now on no older leader writes another one. */
    @Transactional
    public long last(long token) {
        passFence(token);
        return jdbc.sql("select coalesce(max(number), 0) from fencing_sample_invoices")
                .query(Long.class)
                .single();
    }

    @Transactional
    public void write(long number, long token) {
        passFence(token);
        jdbc.sql("insert into fencing_sample_invoices (number, written_by, token) values (?, ?, ?)")
                .params(number, instance, token)
                .update();
    }

    private void passFence(long token) {
        if (fenced) {
            fence.check(RESOURCE, token);
        }
    }
}
