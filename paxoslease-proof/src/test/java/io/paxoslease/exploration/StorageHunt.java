package io.paxoslease.exploration;

import java.util.List;
import java.util.function.BiFunction;

/** Looks for a violation of a mutant of the clients of a store, from within the loader that holds its classes. */
public final class StorageHunt implements BiFunction<String, Integer, List<String>> {

    /** @return what went wrong, and what happened; nothing when no walk of so many came upon it */
    @Override
    public List<String> apply(String mutant, Integer walks) {
        StorageExplorer.Result result = new StorageExplorer(StorageMutants.of(mutant)::fresh).walk(walks, 0);
        return result.violation() == null ? List.of() : List.of(result.violation(), String.join("\n", result.story()));
    }
}
