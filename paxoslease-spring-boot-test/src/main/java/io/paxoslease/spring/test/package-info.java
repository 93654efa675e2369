/**
 * For tests of applications: leadership and shards under the control of the test, without ports and without sleeping. Not used in
 * production.
 */
@NullMarked
package io.paxoslease.spring.test;

import org.jspecify.annotations.NullMarked;
