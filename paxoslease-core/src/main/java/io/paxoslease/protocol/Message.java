package io.paxoslease.protocol;

/** What nodes say to each other, in the terms of one algorithm; other algorithms ignore it. Immutable. */
public interface Message {}
