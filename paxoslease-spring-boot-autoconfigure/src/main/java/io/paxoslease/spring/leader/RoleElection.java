package io.paxoslease.spring.leader;

/** A bean that is the election of a role. */
interface RoleElection {

    String roleName();

    /** Sets the role to notify of grants and revocations; called before the election starts. */
    void setRole(LeaderRole role);
}
