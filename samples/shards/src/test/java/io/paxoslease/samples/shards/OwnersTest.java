package io.paxoslease.samples.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ClassPathResource;

class OwnersTest {

    /** Else the shop would place orders in shards that the application does not have, or leave some of its shards empty. */
    @Test
    void theLauncherAndTheApplicationCountTheSameShards() {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ClassPathResource("application.yml"));
        Properties properties = yaml.getObject();
        assertThat(properties).containsEntry("paxoslease.shards.orders.count", Owners.SHARDS);
    }
}
