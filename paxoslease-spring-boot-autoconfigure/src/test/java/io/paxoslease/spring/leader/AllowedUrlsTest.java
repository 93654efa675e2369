package io.paxoslease.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** A URL that a peer has written is followed only as far as the configuration names its host. */
class AllowedUrlsTest {

    private static @Nullable URI find(String pattern, String url) {
        return new AllowedUrls(List.of(pattern)).find("url=" + url);
    }

    @ParameterizedTest
    @CsvSource({
        "https://*.app.svc:8443, https://billing-0.app.svc:8443",
        "https://*.app.svc:8443, https://billing-0.APP.svc:8443",
        "https://*.App.svc:8443/, https://billing-0.app.svc:8443/billing/api",
        "https://*.app.svc, https://x.app.svc:443",
        "https://*.app.svc:443, https://x.app.svc",
        "http://*.app.svc, http://x.app.svc:80",
        "http://pod-*.app.svc, http://pod-7.app.svc",
        "http://app-*:8080, http://app-2:8080",
        "http://*.*.svc, http://a.b.svc",
        "http://10.0.*.*:8080, http://10.0.255.7:8080",
        "http://10.0.0.1, http://10.0.0.1",
        "'http://[fd00::7]:8080', 'http://[fd00::7]:8080'",
        "http://*.app.svc, http://xn--bcher-kva.app.svc"
    })
    void whatThePatternNamesIsFollowed(String pattern, String url) {
        assertThat(find(pattern, url)).isEqualTo(URI.create(url));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://x.app.svc:8443",
                "HTTPS://x.app.svc:8443",
                "ftp://x.app.svc:8443",
                "javascript://x.app.svc:8443",
                "//x.app.svc:8443",
                "x.app.svc:8443",
                "https://x.app.svc",
                "https://x.app.svc:8444",
                "https://x.app.svc:08443",
                "https://x.app.svc:8443:8443",
                "https://x.app.svc:",
                "https://x.app.svc:0",
                "https://x.app.svc:65536",
                "https://app.svc:8443",
                "https://.app.svc:8443",
                "https://x.y.app.svc:8443",
                "https://x.app.svc.evil.example:8443",
                "https://xapp.svc:8443",
                "https://x.app.svc.:8443",
                "https://x..app.svc:8443",
                "https://evil.example/x.app.svc:8443",
                "https://evil.example#.app.svc:8443",
                "https://evil.example?.app.svc:8443",
                "https://evil.example\\.app.svc:8443",
                "https://evil.example%2f.app.svc:8443",
                "https://evil%2eexample.app.svc:8443",
                "https://x%2eapp.svc:8443",
                "https://user@x.app.svc:8443",
                "https://user:secret@x.app.svc:8443",
                "https://x.app.svc:8443@evil.example",
                "https://x.app.svc:8443?to=evil",
                "https://x.app.svc:8443#evil",
                "https://x.app.svc:8443/?",
                "https://évil.app.svc:8443",
                "https://x。app.svc:8443",
                "https://x_y.app.svc:8443",
                "https://x.app.svc:8443/é",
                "https://x.app.svc:8443/a b",
                "https://x.app.svc:8443/\t",
                " https://x.app.svc:8443",
                "https://[::1]:8443",
                "https://[fe80::1%25eth0]:8443",
                "https://127.0.0.1:8443",
                "https://2130706433:8443",
                "https://*.app.svc:8443",
                "https:x.app.svc:8443",
                "https:///x.app.svc:8443",
                "https://",
                ""
            })
    void nothingElseIs(String url) {
        assertThat(find("https://*.app.svc:8443", url)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "http://10.0.*.*, http://10.0.0.256",
        "http://10.0.*.*, http://10.0.0.0x7f",
        "http://10.0.*.*, http://10.0.0.010",
        "http://10.0.*.*, http://10.0.7",
        "http://10.0.*.*, http://10.0.a.b",
        "http://1*, http://12345",
        "http://a*, http://b1",
        "'http://[::1]', 'http://[::2]'",
        "'http://[::1]', http://127.0.0.1"
    })
    void anAddressIsComparedNumberByNumber(String pattern, String url) {
        assertThat(find(pattern, url)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "*",
                "https://*",
                "https://*:8443",
                "https://*-app",
                "https://app.*",
                "https://app.s*",
                "https://**.app.svc",
                "https://a*b*.app.svc",
                "https://.app.svc",
                "https://app.svc.",
                "https://app..svc",
                "https://10.0.*",
                "https://10.*.*.*.*",
                "https://app.1",
                "https://[::*]",
                "https://user@app.svc",
                "https://app.svc/path",
                "https://app.svc?x",
                "https://app.svc:*",
                "https://app.svc:0",
                "https://app.svc:",
                "*://app.svc",
                "HTTPS://app.svc",
                "ftp://app.svc",
                "app.svc",
                "https://äpp.svc",
                ""
            })
    void aPatternThatLeavesTheEndOfTheHostOpenOrIsNoneIsRefused(String pattern) {
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> new AllowedUrls(List.of("https://app.svc", pattern)))
                .satisfies(refused -> assertThat(refused.getName()).isEqualTo("paxoslease.http.allowed-urls"))
                .satisfies(refused -> assertThat(refused.getReason()).contains("'https://*.app.svc:8443'"));
    }

    @Test
    void byDefaultNothingIsFollowed() {
        AllowedUrls none = new AllowedUrls(List.of());
        assertThat(none.isEmpty()).isTrue();
        assertThat(none.find("url=http://localhost")).isNull();
    }

    /** Later versions may write more; a note of an application has none. */
    @Test
    void aNoteHasFieldsByLine() {
        AllowedUrls allowed = new AllowedUrls(List.of("http://*.app"));
        URI url = URI.create("http://a.app");
        assertThat(allowed.find("version=7\nurl=http://a.app/\nzone=b")).isEqualTo(url);
        assertThat(allowed.find("url=http://a.app\nurl=http://b.app")).isEqualTo(url);
        assertThat(allowed.find("URL=http://a.app")).isNull();
        assertThat(allowed.find("http://a.app")).isNull();
        assertThat(allowed.find("my url=http://a.app")).isNull();
        assertThat(allowed.find("url=http://a.app" + "/a".repeat(100))).isNull();
        assertThat(allowed.find("")).isNull();
    }

    @Test
    void theConfiguredUrlIsChecked() {
        assertThat(AdvertisedUrl.note(AdvertisedUrl.checked(" https://a.app:8443/x/ ")))
                .isEqualTo("url=https://a.app:8443/x");
        for (String bad :
                List.of("a.app:8443", "https://a.app?x", "https://é.app", "https://a.app/" + "x".repeat(200), "")) {
            assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                    .isThrownBy(() -> AdvertisedUrl.checked(bad))
                    .satisfies(refused -> assertThat(refused.getName()).isEqualTo("paxoslease.advertise.url"))
                    .satisfies(refused ->
                            assertThat(refused.getReason()).startsWith("Must be the base URL of this instance"));
        }
    }
}
