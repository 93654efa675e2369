package io.paxoslease.samples.shards.instance;

/** An order that has not been shipped. */
record Order(long id, String customer, String item) {}
