package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.membership.MemberText;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConditionalGenericConverter;

/** Reads properties that are annotated with {@link CommaSeparated}, and no others. */
final class CommaSeparatedConverter implements ConditionalGenericConverter {

    @Override
    public Set<ConvertiblePair> getConvertibleTypes() {
        return Set.of(new ConvertiblePair(String.class, Map.class));
    }

    @Override
    public boolean matches(TypeDescriptor source, TypeDescriptor target) {
        return target.hasAnnotation(CommaSeparated.class);
    }

    @Override
    public Object convert(@Nullable Object source, TypeDescriptor from, TypeDescriptor to) {
        return source == null || ((String) source).isBlank() ? Map.of() : MemberText.parse((String) source);
    }
}
