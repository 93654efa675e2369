package io.paxoslease.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** What a release needs: Maven Central refuses modules that lack some of it, on the day of the release. */
class PublishedModulesTest {

    private static final Path ROOT = Path.of("..");
    private static final String RELEASE = "/project/profiles/profile[id='release']/build/plugins/plugin";

    /** What a pom must say, or inherit. */
    private static final List<String> REQUIRED = List.of(
            "/project/url",
            "/project/licenses/license/name",
            "/project/licenses/license/url",
            "/project/developers/developer/name",
            "/project/scm/connection",
            "/project/scm/developerConnection",
            "/project/scm/url");

    private final XPath xpath = XPathFactory.newInstance().newXPath();
    private final Document parent = pom("");
    private final Map<String, Document> published = new TreeMap<>();
    private final List<String> others = new ArrayList<>();

    PublishedModulesTest() throws Exception {
        for (String module : all(parent, "//modules/module")) {
            Document pom = pom(module);
            if (text(pom, "/project/properties/maven.deploy.skip").equals("true")) {
                others.add(text(pom, "/project/artifactId"));
            } else {
                published.put(module, pom);
            }
        }
    }

    @Test
    void theyAreThese() {
        assertThat(published)
                .containsOnlyKeys(
                        "paxoslease-bom",
                        "paxoslease-core",
                        "paxoslease-flease",
                        "paxoslease-jdbc",
                        "paxoslease-node",
                        "paxoslease-spring-boot-autoconfigure",
                        "paxoslease-spring-boot-starter",
                        "paxoslease-spring-boot-test",
                        "paxoslease-storage",
                        "paxoslease-test",
                        "paxoslease-testcontainers");
    }

    /** Also if the command does not name the modules. */
    @Test
    void nothingElseIsUploaded() throws XPathExpressionException {
        assertThat(all(parent, RELEASE + "/configuration/excludeArtifacts/excludeArtifact"))
                .hasSize(10)
                .containsExactlyElementsOf(others);
    }

    @Test
    void eachHasWhatMavenCentralRequires() throws XPathExpressionException {
        for (Map.Entry<String, Document> module : published.entrySet()) {
            Document pom = module.getValue();
            boolean inherits = !text(pom, "/project/parent/artifactId").isEmpty();
            assertThat(text(pom, "/project/artifactId")).isEqualTo(module.getKey());
            assertThat(text(pom, "/project/name")).as("%s: name", module).isNotEmpty();
            assertThat(text(pom, "/project/description"))
                    .as("%s: description", module)
                    .isNotEmpty();
            for (String required : REQUIRED) {
                String value = text(pom, required);
                String inherited = text(parent, required);
                assertThat(value.isEmpty() && inherits ? inherited : value)
                        .as("%s: %s", module.getKey(), required)
                        .isNotEmpty()
                        .isEqualTo(inherited);
            }
        }
    }

    /** A module that inherits would have its own path appended to these. */
    @Test
    void theAddressesAreTheSameForEveryModule() throws XPathExpressionException {
        assertThat(all(
                        parent,
                        "/project/@child.project.url.inherit.append.path | /project/scm/@child.scm.url.inherit.append.path"
                                + " | /project/scm/@child.scm.connection.inherit.append.path"
                                + " | /project/scm/@child.scm.developerConnection.inherit.append.path"))
                .containsExactly("false", "false", "false", "false");
    }

    @Test
    void theProfileMakesSourcesJavadocBillOfMaterialsAndSignatures() throws XPathExpressionException {
        assertThat(all(parent, RELEASE + "/artifactId"))
                .containsExactlyInAnyOrder(
                        "maven-source-plugin",
                        "maven-javadoc-plugin",
                        "cyclonedx-maven-plugin",
                        "maven-gpg-plugin",
                        "central-publishing-maven-plugin");
        assertThat(all(parent, RELEASE + "/executions/execution/goals/goal"))
                .containsExactlyInAnyOrder("jar-no-fork", "jar", "makeBom", "sign");
        Document starter = published.get("paxoslease-spring-boot-starter");
        assertThat(text(starter, RELEASE + "/executions/execution/configuration/classifier"))
                .as("has no class that javadoc could describe")
                .isEqualTo("javadoc");
    }

    /** The BOM has no parent, whose dependencies would be imported with it. */
    @Test
    void theBomIsOfTheSameReleaseAndIsSignedInTheSameWay() throws XPathExpressionException {
        Document bom = published.get("paxoslease-bom");
        assertThat(text(bom, "/project/parent")).isEmpty();
        assertThat(text(bom, "/project/version")).isEqualTo(text(parent, "/project/version"));
        for (String plugin : List.of("maven-gpg-plugin", "central-publishing-maven-plugin")) {
            String version = RELEASE + "[artifactId='%s']/version".formatted(plugin);
            assertThat(text(bom, version)).isNotEmpty().isEqualTo(text(parent, version));
        }
    }

    @Test
    void theBomNamesEveryLibraryOnce() throws XPathExpressionException {
        List<String> libraries = new ArrayList<>(published.keySet());
        libraries.removeAll(List.of("paxoslease-bom", "paxoslease-node")); // an executable, which nothing depends on
        String managed = "/project/dependencyManagement/dependencies/dependency";
        Document bom = published.get("paxoslease-bom");
        assertThat(all(bom, managed + "/artifactId")).containsExactlyElementsOf(libraries);
        assertThat(all(bom, managed + "/version")).hasSize(libraries.size()).containsOnly("${project.version}");
    }

    @Test
    void theJarHasLicenceAndNotice() throws IOException {
        for (String file : List.of("LICENSE", "NOTICE")) {
            assertThat(ModuleResources.read("META-INF/" + file)).isEqualTo(Files.readString(ROOT.resolve(file)));
        }
    }

    @Test
    void theReadmeNamesThisVersion() throws Exception {
        assertThat(Files.readString(ROOT.resolve("README.md")))
                .contains("<version>" + text(parent, "/project/version") + "</version>");
    }

    private static Document pom(String module) throws IOException, SAXException, ParserConfigurationException {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(module).resolve("pom.xml").toFile());
    }

    private String text(Document pom, String path) throws XPathExpressionException {
        return xpath.evaluate(path, pom).strip();
    }

    private List<String> all(Document pom, String path) throws XPathExpressionException {
        NodeList nodes = (NodeList) xpath.evaluate(path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent());
        }
        return texts;
    }
}
