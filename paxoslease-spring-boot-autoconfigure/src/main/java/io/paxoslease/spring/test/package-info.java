/**
 * For tests of applications: leadership at will, without ports and without sleeping. Nothing here is used in production.
 */
@NullMarked
package io.paxoslease.spring.test;

import org.jspecify.annotations.NullMarked;
