package io.paxoslease.protocol.paxos;

import io.paxoslease.protocol.Effect;
import io.paxoslease.protocol.Message;
import io.paxoslease.protocol.Reading;
import io.paxoslease.protocol.paxos.PaxosMessage.Extension;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Says in a transcript's words what happens. Ballot counters are marked while the play goes on, and become their ranks among
 * all of it in the end: the smallest is 1, and equal ones are equal.
 */
final class TranscriptWords {

    private static final String MARK = "\u0001";
    private static final Pattern MARKED = Pattern.compile(MARK + "(-?\\d+)" + MARK);

    private final TranscriptCell cell;

    TranscriptWords(TranscriptCell cell) {
        this.cell = cell;
    }

    /** Replaces every marked counter by its rank. */
    static List<String> rank(List<String> lines) {
        TreeSet<Long> counters = new TreeSet<>();
        lines.forEach(line -> MARKED.matcher(line).results().forEach(m -> counters.add(counter(m))));
        List<Long> ranked = new ArrayList<>(counters);
        return lines.stream()
                .map(line -> MARKED.matcher(line).replaceAll(m -> String.valueOf(ranked.indexOf(counter(m)) + 1)))
                .toList();
    }

    private static long counter(MatchResult match) {
        return Long.parseLong(match.group(1));
    }

    /** As in {@code 300ms} or {@code 366.666667ms}. */
    static String time(long nanos) {
        return BigDecimal.valueOf(nanos, 6).stripTrailingZeros().toPlainString() + "ms";
    }

    /** A time in milliseconds or seconds, with a sign and a fraction if need be. */
    static Duration duration(String text) {
        boolean millis = text.endsWith("ms");
        if (!millis && !text.endsWith("s")) {
            throw new IllegalArgumentException("Not a time in ms or s: " + text);
        }
        BigDecimal number = new BigDecimal(text.substring(0, text.length() - (millis ? 2 : 1)));
        return Duration.ofNanos(number.scaleByPowerOfTen(millis ? 6 : 9).longValueExact());
    }

    static String kind(Message message) {
        return message.getClass().getSimpleName().toUpperCase(java.util.Locale.ROOT);
    }

    String of(Message message) {
        return kind(message) + "(" + fields(message) + ")";
    }

    private String fields(Message message) {
        if (message instanceof PaxosMessage.Prepare m) {
            return reply(m.resource(), m.ballot(), m.attempt());
        } else if (message instanceof PaxosMessage.Propose m) {
            return reply(m.resource(), m.ballot(), m.attempt()) + ", for " + time(m.leaseNanos()) + queueMode(m);
        } else if (message instanceof PaxosMessage.Release m) {
            return m.resource() + ", " + cell.name(m.incarnation()) + " up to " + counter(m.upToCounter());
        } else if (message instanceof PaxosMessage.Extend m) {
            return "%s, try %d, %s, for %s"
                    .formatted(cell.name(m.incarnation()), m.attempt(), listed(m), time(m.leaseNanos()));
        } else if (message instanceof PaxosMessage.Extended m) {
            return "%s, try %d%s%s"
                    .formatted(
                            cell.name(m.incarnation()),
                            m.attempt(),
                            m.missing().isEmpty() ? "" : ", all but " + m.missing(),
                            m.wanted().isEmpty() ? "" : ", wanted " + m.wanted());
        } else if (message instanceof PaxosMessage.UnknownBatch m) {
            return "%s, try %d".formatted(cell.name(m.incarnation()), m.attempt());
        } else if (message instanceof PaxosMessage.Released m) {
            return m.resource() + ", " + m.ahead() + " ahead";
        } else if (message instanceof PaxosMessage.StillInUse m) {
            return m.resource() + ", " + cell.name(m.incarnation());
        } else if (message instanceof PaxosMessage.ReleaseTo m) {
            return fields(m.release()) + ", to " + m.successor();
        } else if (message instanceof PaxosMessage.Wanted m) {
            return "%s, %s/%s%s%s"
                    .formatted(
                            m.resource(),
                            counter(m.counter()),
                            cell.name(m.incarnation()),
                            m.highestQueued() == 0 ? "" : ", in line up to " + counter(m.highestQueued()),
                            m.asking() ? ", asked once" : "");
        }
        PaxosMessage.Reply reply = (PaxosMessage.Reply) message;
        return reply(reply.resource(), reply.ballot(), reply.attempt()) + verdict(reply);
    }

    private String verdict(PaxosMessage.Reply reply) {
        if (reply instanceof PaxosMessage.Held m) {
            String place = m.queued() ? ", in line" : "";
            place = m.askAgainNanos() > 0 ? ", ask again in " + time(m.askAgainNanos()) : place;
            return ", by %s under %s for %s%s"
                    .formatted(m.ownerNode(), ballot(m.owner()), time(m.remainingNanos()), place);
        } else if (reply instanceof PaxosMessage.Accepted m) {
            return m.wanted() ? ", wanted" : "";
        } else if (reply instanceof PaxosMessage.Stale m) {
            return ", promised " + counter(m.promisedCounter());
        } else if (reply instanceof PaxosMessage.Refused m) {
            String limit =
                    switch (m.reason()) {
                        case TOO_LONG -> time(m.limit());
                        case TOO_FAR_AHEAD -> counter(m.limit());
                        case TOO_MANY, OTHER_GENERATION -> String.valueOf(m.limit());
                    };
            return ", " + plain(m.reason()) + ", limit " + limit;
        }
        return "";
    }

    /** What it waits for, and since when if not since this ballot. */
    private static String queueMode(PaxosMessage.Propose m) {
        String since = m.enqueuedCounter() == m.ballot().counter() ? "" : " since " + counter(m.enqueuedCounter());
        return switch (m.queueMode()) {
            case NONE -> "";
            case ASK_HOLDER -> ", asks once";
            case QUEUE ->
                ", waits" + since + (m.predecessorCounter() == 0 ? "" : " after " + counter(m.predecessorCounter()));
        };
    }

    private String listed(PaxosMessage.Extend m) {
        String list = m.extensions().stream().map(this::extension).collect(Collectors.joining(", "));
        if (m.batchId() == PaxosMessage.Extend.UNNUMBERED) {
            return list;
        }
        return "list " + m.batchId() + (m.isByNumber() ? "" : ": " + list);
    }

    private String reply(String resource, Ballot ballot, long attempt) {
        return resource + ", " + ballot(ballot) + ", try " + attempt;
    }

    private String extension(Extension extension) {
        return extension.resource() + " from " + counter(extension.lowestCounter());
    }

    private String ballot(Ballot ballot) {
        return counter(ballot.counter()) + "/" + cell.name(ballot.incarnation());
    }

    private static String counter(long counter) {
        return MARK + counter + MARK;
    }

    /** What a node does, without naming the node; sends are told elsewhere. */
    String of(Effect effect) {
        if (effect instanceof Effect.Granted e) {
            return "is granted " + e.resource() + ", token " + counter(e.token()) + ", " + until(e.until());
        } else if (effect instanceof Effect.Denied e) {
            String holder = e.holder() == null ? "" : ", last heard of at " + e.holder();
            return "is denied " + e.resource() + ": " + plain(e.reason()) + holder;
        } else if (effect instanceof Effect.Extended e) {
            return "has extended " + e.resource() + ", token " + counter(e.token()) + ", " + until(e.until());
        } else if (effect instanceof Effect.Wanted e) {
            return "hears that others want " + e.resource() + ", token " + counter(e.token());
        } else if (effect instanceof Effect.Suspected e) {
            return "doubts " + e.resource() + ", token " + counter(e.token());
        } else if (effect instanceof Effect.Lost e) {
            return "loses " + e.resource() + ", token " + counter(e.token()) + ": " + plain(e.reason());
        } else if (effect instanceof Effect.Renewed e) {
            return e.extended() ? "is told: renewed" : "is told: not renewed";
        } else if (effect instanceof Effect.ClockAhead e) {
            return "warns: the ballots of " + e.proposer() + " are " + time(e.aheadMicros() * 1_000) + " ahead";
        } else if (effect instanceof Effect.ClocksApart e) {
            return "warns: no majority's clocks are near each other for " + e.resource();
        } else if (effect instanceof Effect.Notice e) {
            return "says: " + e.text();
        }
        throw new IllegalArgumentException("No words for " + effect);
    }

    /** The deadline on both clocks; the wall clock's only where it tells something else. */
    private static String until(Reading until) {
        long nanos = until.moment().nanos();
        long wallMicros = until.wallMicros() - TranscriptCell.WALL;
        boolean same = wallMicros == Math.floorDiv(nanos, 1_000L);
        return "until " + time(nanos) + (same ? "" : " (by its wall clock " + time(wallMicros * 1_000) + ")");
    }

    private static String plain(Enum<?> reason) {
        return reason.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
}
