package io.paxoslease.spring.docs;

import io.paxoslease.spring.test.TestLeadership;

/** What the pages take for granted of the reader's own tests. On the source path of snippets only: it needs a module that depends on this one. */
public final class ReadersTests {

    public static final TestLeadership leadership = null;

    private ReadersTests() {}
}
