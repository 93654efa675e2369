/** The application: the leader numbers invoices in a database, which compares fencing tokens. */
@NullMarked
package io.paxoslease.samples.fencing.instance;

import org.jspecify.annotations.NullMarked;
