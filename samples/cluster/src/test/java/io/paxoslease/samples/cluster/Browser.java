package io.paxoslease.samples.cluster;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

/** A headless Chromium of this machine's; nothing is downloaded. */
final class Browser implements AutoCloseable {

    private static final String MISSING = "no %s on the PATH: .ci/prepare-browser installs Debian's";

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Why there is none; empty when there is one. */
    static Optional<String> problem() {
        if (chromium().isEmpty()) {
            return Optional.of(MISSING.formatted("Chromium"));
        }
        return chromedriver().isEmpty() ? Optional.of(MISSING.formatted("chromedriver")) : Optional.empty();
    }

    static Browser start() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium().orElseThrow());
        options.addArguments("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,1000");
        if (System.getProperty("user.name").equals("root")) {
            options.addArguments("--no-sandbox"); // the sandbox does not work for root
        }
        LoggingPreferences logging = new LoggingPreferences();
        logging.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logging);
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(chromedriver().orElseThrow())
                .usingAnyFreePort()
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Optional<File> chromium() {
        return onPath("chromium", "chromium-browser", "google-chrome");
    }

    private static Optional<File> chromedriver() {
        return onPath("chromedriver");
    }

    private static Optional<File> onPath(String... names) {
        List<Path> directories = Arrays.stream(
                        Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
                .map(Path::of)
                .toList();
        return Stream.of(names)
                .flatMap(name -> directories.stream().map(directory -> directory.resolve(name)))
                .filter(Files::isExecutable)
                .map(Path::toFile)
                .findFirst();
    }

    void open(String url) {
        driver.get(url);
    }

    /** Presses the button of that label. */
    void press(String label) {
        Object pressed = run("""
                const button = [...document.querySelectorAll("button")].find(each => each.textContent === arguments[0]);
                if (!button) { return false; }
                button.click();
                return true;
                """, label);
        if (!Boolean.TRUE.equals(pressed)) {
            throw new AssertionError("There is no button '" + label + "'");
        }
    }

    void type(Keys key) {
        new Actions(driver).sendKeys(key).perform();
    }

    /** The result of a script's {@code return}. */
    Object run(String script, Object... arguments) {
        return Objects.requireNonNull(driver.executeScript(script, arguments), "the script returned nothing");
    }

    /** What a script hands to the last of its arguments, which is a function. */
    Object await(String script) {
        return Objects.requireNonNull(driver.executeAsyncScript(script), "the script had no result");
    }

    void prefer(String feature, String value) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", feature, "value", value))));
    }

    void preferNothing() {
        driver.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
    }

    /** As wide as that in CSS pixels, of which each is several of the screen's. */
    void resize(int width, int height, int scale) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", false));
    }

    /** What axe-core finds wrong with the page as it is now: rule, element, what to do. */
    @SuppressWarnings("unchecked")
    List<String> accessibilityProblems() throws IOException {
        try (InputStream axe = Browser.class.getResourceAsStream("/axe.min.js")) {
            driver.executeScript(
                    new String(Objects.requireNonNull(axe, "axe.min.js").readAllBytes(), StandardCharsets.UTF_8));
        }
        return (List<String>) await("""
                const done = arguments[arguments.length - 1];
                axe.run().then(
                    found => done(found.violations.flatMap(rule =>
                        rule.nodes.map(node => `${rule.id}: ${node.target} ${node.failureSummary}`))),
                    problem => done([`axe failed: ${problem}`]));
                """);
    }

    /** What the browser's console got since this was asked last. */
    List<String> console() {
        return driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .toList();
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    @Override
    public void close() {
        driver.quit();
    }
}
