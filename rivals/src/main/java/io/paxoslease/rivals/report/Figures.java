package io.paxoslease.rivals.report;

import java.util.Locale;

/** Figures for people. */
final class Figures {

    private Figures() {}

    /** Rounded to so many significant digits, the whole part in full with commas; a dash for what is no number. */
    static String text(double value, int digits) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "-";
        }
        int whole = Math.abs(value) < 1 ? 1 : (int) Math.floor(Math.log10(Math.abs(value))) + 1;
        int leadingZeros = value == 0 || Math.abs(value) >= 1 ? 0 : (int) -Math.floor(Math.log10(Math.abs(value)));
        int decimals = leadingZeros > 0 ? Math.min(digits, leadingZeros + 1) : Math.max(0, digits - whole);
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
