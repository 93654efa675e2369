package io.paxoslease.spring.autoconfigure;

import io.paxoslease.spring.membership.MemberText;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.ConditionalGenericConverter;

/** Reads properties that are annotated with {@link CommaSeparated}, and no others. */
final class CommaSeparatedConverter implements ConditionalGenericConverter {

    /** On a property that maps node ids to addresses: it can be written as one text, {@code a=host:port,b=host:port}, too. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.PARAMETER)
    @interface CommaSeparated {}

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
