package io.paxoslease.exploration;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;

/** Looks for a violation of a mutant, from within the loader that holds its classes. */
public final class Hunt implements BiFunction<String, List<String>, List<String>> {

    private static final int WALKS = 100_000;

    /**
     * @param mutant its id
     * @param schedule what to replay; empty to look for one
     * @return how many walks it took; the violation; the schedule, one action a line; a blank line; what happened. Nothing
     *     when there was no violation
     */
    @Override
    public List<String> apply(String mutant, List<String> schedule) {
        Cell cell = Mutants.of(mutant).cell;
        Walk walk = new Walk(cell);
        List<Action> found = schedule.isEmpty() ? walk.search(WALKS) : Script.parse(schedule);
        List<String> result = new ArrayList<>();
        if (found != null) {
            Story story = new Story();
            ExploredWorld world = new ExploredWorld(cell, story);
            found.forEach(world::apply);
            if (world.violation() != null) {
                result.add(String.valueOf(walk.tried()));
                result.add(world.violation());
                found.forEach(action -> result.add(Script.text(action)));
                result.add("");
                result.addAll(story.lines());
            }
        }
        return result;
    }
}
