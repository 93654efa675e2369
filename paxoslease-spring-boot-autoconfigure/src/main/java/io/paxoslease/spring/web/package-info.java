/** Answers of web applications on instances that do not lead. */
@NullMarked
package io.paxoslease.spring.web;

import org.jspecify.annotations.NullMarked;
