@org.jspecify.annotations.NullMarked
package io.paxoslease.server;
