package io.paxoslease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MembershipTextTest {

    private static final String TEXT = """
            # Members of a PaxosLease cell, as its nodes have stored them. Change them by a node, not here.
            format=1
            cell=shop
            generation=2
            peers.a=10.0.0.1:7400
            peers.b=[fe80::1]:7400
            max-lease-time=5s
            clock-drift=0.1
            previous-peers.a=10.0.0.1:7400
            previous-max-lease-time=2500ms
            previous-clock-drift=0.05
            end
            """;

    private static Membership second() {
        return new Membership(
                new GenerationOptions(
                        2, new GenerationOptions.Previous(Map.of("a", at("10.0.0.1")), Duration.ofMillis(2_500), 0.05)),
                Map.of("b", at("fe80::1"), "a", at("10.0.0.1")),
                Duration.ofSeconds(5),
                0.1,
                false);
    }

    private static InetSocketAddress at(String host) {
        return InetSocketAddress.createUnresolved(host, 7400);
    }

    @Test
    void aMembershipIsTextThatPeopleRead() {
        assertThat(MembershipText.format("shop", second())).isEqualTo(TEXT);
    }

    @Test
    void theTextIsReadBack() throws IOException {
        assertThat(MembershipText.parse("shop", TEXT)).isEqualTo(second());
    }

    @Test
    void theSealIsOneMoreLine() throws IOException {
        String sealed = TEXT.replace("\nend\n", "\nsealed=true\nend\n");
        assertThat(MembershipText.format("shop", second().whenSealed())).isEqualTo(sealed);
        assertThat(MembershipText.parse("shop", sealed)).isEqualTo(second().whenSealed());
        assertThatThrownBy(() -> MembershipText.parse("shop", sealed.replace("=true", "=yes")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the entry 'sealed', 'yes', must be true, or left out");
    }

    @Test
    void thatTheGenerationBeforeIsSealedIsOneMoreLine() throws IOException {
        Membership known = new Membership(
                second().generation(), second().peers(), second().maxLeaseTime(), second().clockDrift(), false, true);
        String text = TEXT.replace("\nend\n", "\nprevious-sealed=true\nend\n");
        assertThat(MembershipText.format("shop", known)).isEqualTo(text);
        assertThat(MembershipText.parse("shop", text)).isEqualTo(known).isNotEqualTo(second());
        assertThatThrownBy(() -> MembershipText.parse("shop", text.replace("=true", "=yes")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the entry 'previous-sealed', 'yes', must be true, or left out");
    }

    @Test
    void whatPeopleChangeInLinesAndCommentsMeansNothing() throws IOException {
        String edited = TEXT.replace("\n", "\r\n").replace("cell=shop", "cell=shop\r\n\r\n# restored on Monday");
        assertThat(MembershipText.parse("shop", edited)).isEqualTo(second());
    }

    @Test
    void everyMembershipComesBack() throws IOException {
        Random random = new Random(11);
        for (int i = 0; i < 3_000; i++) {
            Membership membership = drawn(random);
            String cell = name(random);
            String text = MembershipText.format(cell, membership);
            assertThat(text).matches("[\\n -~]*");
            assertThat(MembershipText.parse(cell, text)).as(text).isEqualTo(membership);
            assertThat(MembershipText.format(cell, MembershipText.parse(cell, text)))
                    .isEqualTo(text);
        }
    }

    private static Membership drawn(Random random) {
        GenerationOptions generation = random.nextBoolean()
                ? new GenerationOptions(1 + random.nextInt(1_000_000_000), null)
                : new GenerationOptions(
                        2 + random.nextInt(1_000),
                        new GenerationOptions.Previous(members(random, 0), time(random), drift(random)));
        return new Membership(
                generation,
                members(random, 100),
                time(random),
                drift(random),
                random.nextBoolean(),
                random.nextBoolean());
    }

    private static Map<String, InetSocketAddress> members(Random random, int first) {
        Map<String, InetSocketAddress> members = new LinkedHashMap<>();
        int count = 1 + random.nextInt(30);
        for (int i = 0; i < count; i++) {
            String host = List.of(
                            "10.0.0." + (first + i), "h" + (first + i) + ".läden.example", "2001:db8::" + (first + i))
                    .get(random.nextInt(3));
            members.put(name(random), InetSocketAddress.createUnresolved(host, 1 + random.nextInt(65_535)));
        }
        return members;
    }

    private static String name(Random random) {
        String characters = "abcXYZ019-_.=\\#/é😀中:,";
        StringBuilder name = new StringBuilder();
        int length = 1 + random.nextInt(12);
        int[] points = characters.codePoints().toArray();
        for (int i = 0; i < length; i++) {
            name.appendCodePoint(points[random.nextInt(points.length)]);
        }
        return name.toString();
    }

    private static Duration time(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Duration.ofSeconds(1 + random.nextInt(86_400));
            case 1 -> Duration.ofMillis(100 + random.nextInt(86_400_000 - 100));
            case 2 -> Duration.ofNanos(1_000L * (100_000 + random.nextInt(1_000_000)));
            default -> Duration.ofNanos(100_000_000L + random.nextInt(1_000_000_000));
        };
    }

    private static double drift(Random random) {
        return random.nextBoolean() ? 0.0001 : 0.0001 + random.nextDouble() * 0.4;
    }

    /** Whatever is cut off: never a membership of fewer members. */
    @Test
    void aTextThatIsCutOffIsNone() {
        for (int length = 0; length < TEXT.length() - 1; length++) {
            String cut = TEXT.substring(0, length);
            assertThatThrownBy(() -> MembershipText.parse("shop", cut)).isInstanceOf(IOException.class);
        }
    }

    /** Either it is a membership, or it is refused in words; nothing else comes out. */
    @Test
    void whateverIsDoneToTheTextIsAMembershipOrRefused() {
        Random random = new Random(7);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder text = new StringBuilder(TEXT);
            for (int j = random.nextInt(4); j >= 0; j--) {
                int at = random.nextInt(text.length());
                switch (random.nextInt(4)) {
                    case 0 -> text.deleteCharAt(at);
                    case 1 -> text.insert(at, (char) random.nextInt(300));
                    case 2 -> text.setCharAt(at, "=\\\n.:09-euS".charAt(random.nextInt(11)));
                    default -> text.insert(at, TEXT, random.nextInt(20), 20 + random.nextInt(TEXT.length() - 20));
                }
            }
            if (failure(text.toString()) != null) {
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10_000);
    }

    private static @Nullable String failure(String text) {
        try {
            MembershipText.parse("shop", text);
            return null;
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotBlank();
            return e.getMessage();
        }
    }

    @Test
    void whatIsWrongIsSaid() {
        assertThat(failure("")).isEqualTo("it is cut off: the last line, 'end', is missing");
        assertThat(failure(TEXT.replace("format=1", "format=2")))
                .isEqualTo(
                        "it has another format than 1, the only one that this version of the library reads: update this node, or name the text that its nodes have stored");
        assertThat(failure(TEXT.replace("cell=shop", "cell=other")))
                .isEqualTo("it is of the cell 'other' and not of 'shop': give each cell a store of its own");
        assertThat(failure(TEXT.replace("max-lease-time=5s\n", ""))).isEqualTo("the entry 'max-lease-time' is missing");
        assertThat(failure(TEXT.replace("previous-clock-drift=0.05\n", "")))
                .isEqualTo("the entry 'previous-clock-drift' is missing");
        assertThat(failure(TEXT.replace("=5s", "=5"))).contains("'max-lease-time', '5', must be a time such as 5s");
        assertThat(failure(TEXT.replace("=5s", "=5ms"))).contains("is shorter than any cell can have");
        assertThat(failure(TEXT.replace("=0.1", "=NaN"))).contains("'clock-drift', 'NaN', must be a number");
        assertThat(failure(TEXT.replace("=0.1", "=0.9"))).contains("must be from 0.0001 to 0.5");
        assertThat(failure(TEXT.replace("generation=2", "generation=0"))).contains("must be a number from 1 on");
        assertThat(failure(TEXT.replace("generation=2", "generation=4294967298")))
                .contains("from 1 to 1000000000");
        assertThat(failure(TEXT.replace("generation=2", "generation=1"))).contains("generation 1 follows none");
        assertThat(failure(TEXT.replace("10.0.0.1:7400", "10.0.0.1"))).contains("write host:port");
        assertThat(failure(TEXT.replace("peers.b=[fe80::1]:7400", "peers.b=10.0.0.1:7400")))
                .contains("is the address of both 'a' and 'b'");
        assertThat(failure(TEXT.replace("peers.b", "\\peers.b"))).contains("unknown entry, '\\peers.b'");
        assertThat(failure(TEXT.replace("peers.b", "peers.\\b"))).contains("backslash that begins no \\uXXXX");
        assertThat(failure(TEXT.replace("peers.b", "peers.\\u0061"))).contains("lists 'a' twice in peers");
        assertThat(failure(TEXT.replace("cell=shop", "cell=shop\ncell=shop")))
                .isEqualTo("line 4 repeats the key of an earlier line");
        assertThat(failure(TEXT.replace("cell=shop", "shop"))).isEqualTo("line 3 is not of the form key=value");
        assertThat(failure(TEXT + "x=1\n")).isEqualTo("line 13 follows the line 'end'");
    }
}
