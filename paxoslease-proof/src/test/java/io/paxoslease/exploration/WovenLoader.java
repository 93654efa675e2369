package io.paxoslease.exploration;

import io.paxoslease.interleaving.Weaver;
import java.io.IOException;
import java.net.URL;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Loads the classes of a mutant, or of the release, so that their threads are under control. */
final class WovenLoader extends MutantLoader {

    private static final String CONTROL = "io.paxoslease.interleaving.";
    /** What users' threads and a node's thread share: the API, locks, elections, and what runs a node. */
    private static final Set<String> UNDER_TEST =
            Set.of("io.paxoslease", "io.paxoslease.locks", "io.paxoslease.election", "io.paxoslease.node");

    private final Map<String, Map<String, Boolean>> fields = new HashMap<>();
    private final Weaver weaver = new Weaver(this::mayChange);

    WovenLoader(Mutant mutant) throws IOException {
        super(mutant);
    }

    /** What controls the threads is the same for all. */
    @Override
    boolean isLoadedAnew(String name) {
        return super.isLoadedAnew(name) && !name.startsWith(CONTROL);
    }

    @Override
    byte[] prepared(String name, byte[] bytes) {
        return weaver.weave(bytes, isUnderTest(name));
    }

    private boolean isUnderTest(String name) {
        boolean shared = UNDER_TEST.contains(name.substring(0, name.lastIndexOf('.')));
        @Nullable URL file = getParent().getResource(name.replace('.', '/') + ".class");
        return shared && (file == null || !file.getPath().matches(".*(/test-classes/|-tests\\.jar!).*"));
    }

    private boolean mayChange(String owner, String name) {
        String ofClass = owner.replace('/', '.');
        return isLoadedAnew(ofClass)
                && fields.computeIfAbsent(ofClass, this::fieldsOf).getOrDefault(name, true);
    }

    private Map<String, Boolean> fieldsOf(String name) {
        Map<String, Boolean> found = new HashMap<>();
        try {
            Weaver.fields(bytes(name), found);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
        return found;
    }
}
