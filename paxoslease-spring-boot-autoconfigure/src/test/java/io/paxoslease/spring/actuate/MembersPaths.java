package io.paxoslease.spring.actuate;

import java.util.List;

/** Paths below that of the endpoint that some server makes that of the members of. */
final class MembersPaths {

    static final List<String> OTHERS = List.of(
            "/%6dembers",
            "/member%73",
            "/members;a=b",
            "/members;",
            "//members",
            "/members/",
            "/members//",
            "//members//",
            "//%6dembers",
            "/%6dembers/",
            "/members/;a=b",
            "/members;a=b/",
            "/;a=b/members",
            "/%2fmembers",
            "/members%2f",
            ";a=b/members",
            "/./members",
            "/x/../members",
            "/%2e/members");

    private MembersPaths() {}
}
