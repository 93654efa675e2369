package io.paxoslease.benchmarks;

import java.util.function.DoubleUnaryOperator;

/** A sum of given functions with the factors that bring it nearest to given points. */
final class LeastSquares {

    private final DoubleUnaryOperator[] terms;
    private final double[] factors;
    private final double explained;

    /** @param terms functions of x that do not depend on each other, fewer than points */
    LeastSquares(double[] x, double[] y, DoubleUnaryOperator... terms) {
        this.terms = terms.clone();
        double[][] system = new double[terms.length][terms.length + 1];
        for (int i = 0; i < terms.length; i++) {
            for (int p = 0; p < x.length; p++) {
                double value = terms[i].applyAsDouble(x[p]);
                for (int j = 0; j < terms.length; j++) {
                    system[i][j] += value * terms[j].applyAsDouble(x[p]);
                }
                system[i][terms.length] += value * y[p];
            }
        }
        factors = solved(system);
        explained = explained(x, y);
    }

    private static double[] solved(double[][] system) {
        int n = system.length;
        for (int i = 0; i < n; i++) {
            int pivot = i;
            for (int row = i + 1; row < n; row++) {
                pivot = Math.abs(system[row][i]) > Math.abs(system[pivot][i]) ? row : pivot;
            }
            double[] swapped = system[i];
            system[i] = system[pivot];
            system[pivot] = swapped;
            for (int row = 0; row < n; row++) {
                double factor = row == i ? 0 : system[row][i] / system[i][i];
                for (int column = i; column <= n; column++) {
                    system[row][column] -= factor * system[i][column];
                }
            }
        }
        double[] result = new double[n];
        for (int i = 0; i < n; i++) {
            result[i] = system[i][n] / system[i][i];
        }
        return result;
    }

    private double explained(double[] x, double[] y) {
        double mean = 0;
        for (double value : y) {
            mean += value / y.length;
        }
        double all = 0;
        double left = 0;
        for (int p = 0; p < x.length; p++) {
            all += (y[p] - mean) * (y[p] - mean);
            left += (y[p] - at(x[p])) * (y[p] - at(x[p]));
        }
        return 1 - left / all;
    }

    double at(double x) {
        double sum = 0;
        for (int i = 0; i < terms.length; i++) {
            sum += factors[i] * terms[i].applyAsDouble(x);
        }
        return sum;
    }

    double factor(int term) {
        return factors[term];
    }

    /** The share of the points' variance that is explained: R squared. */
    double explained() {
        return explained;
    }
}
