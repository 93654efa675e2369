package io.paxoslease.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** On a property that maps node ids to addresses: it can be written as one text, {@code a=host:port,b=host:port}, too. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
@interface CommaSeparated {}
