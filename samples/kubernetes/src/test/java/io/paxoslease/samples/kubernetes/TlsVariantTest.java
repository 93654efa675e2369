package io.paxoslease.samples.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.kubernetes.client.openapi.models.V1PodSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class TlsVariantTest {

    private final JsonNode patch = Manifests.document("../k8s-tls/statefulset-tls.yaml", 0);
    private final JsonNode properties = Manifests.document("../k8s-tls/application-tls.yml", 0);

    TlsVariantTest() throws IOException {}

    @Test
    void thePatchIsWhatTheApiTakes() throws IOException {
        assertThat(Manifests.podOfPatch("../k8s-tls/statefulset-tls.yaml").getContainers())
                .hasSize(1);
        String pod = patch.at("/spec/template/spec").toString();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> V1PodSpec.fromJson(pod.replace("volumeMounts", "volumeMount")))
                .withMessageContaining("volumeMount");
    }

    @Test
    void theCertificateNamesEveryPeerByTheHostThatTheOthersConnectTo() throws IOException {
        List<String> hosts = new ArrayList<>();
        Manifests.document("application.yml", 0)
                .at("/paxoslease/peers")
                .forEach(peer -> hosts.add(peer.asString().replace(":7400", "")));
        JsonNode certificate = Manifests.document("../k8s-tls/certificates.yaml", 3);

        List<String> names = new ArrayList<>();
        certificate.at("/spec/dnsNames").forEach(name -> names.add(name.asString()));
        assertThat(names).isEqualTo(hosts).hasSize(3);
        assertThat(certificate.at("/spec/secretName"))
                .isEqualTo(patch.at("/spec/template/spec/volumes/0/secret/secretName"));
    }

    @Test
    void theApplicationReadsWhatIsMounted() {
        JsonNode container = patch.at("/spec/template/spec/containers/0");
        String directory = "file:" + container.at("/volumeMounts/0/mountPath").asString();
        JsonNode bundle = properties.at("/spring/ssl/bundle/pem/cell");

        assertThat(container.at("/env/0/value").asString()).isEqualTo("tls");
        assertThat(properties.at("/paxoslease/ssl/bundle").asString()).isEqualTo("cell");
        assertThat(bundle.at("/keystore/certificate").asString()).isEqualTo(directory + "/tls.crt");
        assertThat(bundle.at("/keystore/private-key").asString()).isEqualTo(directory + "/tls.key");
        assertThat(bundle.at("/truststore/certificate").asString()).isEqualTo(directory + "/ca.crt");
    }
}
