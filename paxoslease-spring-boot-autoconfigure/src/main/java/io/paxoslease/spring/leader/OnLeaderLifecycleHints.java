package io.paxoslease.spring.leader;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.support.RegisteredBean;

/** Keeps in a native image the property {@code autoStartup} of lifecycle beans that cannot be proxied. */
final class OnLeaderLifecycleHints implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        Class<?> type = bean.getBeanClass();
        if (!LifecycleHandover.isHandedOver(type, bean.getBeanName(), bean.getBeanFactory())
                || LifecycleHandover.isProxyable(type)) {
            return null;
        }
        return (context, code) ->
                context.getRuntimeHints().reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
    }
}
