package io.paxoslease.samples.cluster;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;

/** Writes aligned lines: seconds since the start, the instance, what it does. Any thread. */
final class Screen {

    /** Colours, used on a terminal only. */
    enum Colour {
        PLAIN(""),
        FAINT("\033[2m"),
        GREEN("\033[1;32m"),
        YELLOW("\033[33m"),
        RED("\033[1;31m");

        private final String code;

        Colour(String code) {
            this.code = code;
        }
    }

    private static final String RESET = "\033[0m";

    private final PrintStream out;
    private final boolean coloured;
    private final long start = System.nanoTime();

    Screen(PrintStream out, boolean coloured) {
        this.out = out;
        this.coloured = coloured;
    }

    /** In colours when that is a terminal, unless the environment has NO_COLOR. */
    static Screen onStandardOutput() {
        return new Screen(System.out, isTerminal() && System.getenv("NO_COLOR") == null);
    }

    /** From JDK 22 on there may be a console that is no terminal, and a method that says so. */
    @SuppressWarnings("SystemConsoleNull")
    private static boolean isTerminal() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException olderJdk) {
            return true;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    /** The text as it is. */
    void print(String text) {
        out.println(text);
    }

    /** @param who the instance, or an empty string */
    void line(Colour colour, String who, String text) {
        double seconds = (System.nanoTime() - start) / 1e9;
        String line = String.format(Locale.ROOT, "%7.1f s  %-2s  %s", seconds, who, text);
        out.println(coloured && colour != Colour.PLAIN ? colour.code + line + RESET : line);
    }
}
