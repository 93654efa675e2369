package io.paxoslease.samples.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.paxoslease.samples.cluster.CellControl.Answer;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import tools.jackson.databind.json.JsonMapper;

/** Serves the page and its endpoint, to this machine only. */
final class PageServer implements AutoCloseable {

    private record File(String name, String type) {}

    private static final Map<String, File> FILES = Map.of(
            "/", new File("index.html", "text/html; charset=utf-8"),
            "/page.css", new File("page.css", "text/css; charset=utf-8"),
            "/page.js", new File("page.js", "text/javascript; charset=utf-8"),
            "/cell.js", new File("cell.js", "text/javascript; charset=utf-8"),
            "/view.js", new File("view.js", "text/javascript; charset=utf-8"),
            "/shards.js", new File("shards.js", "text/javascript; charset=utf-8"),
            "/icon.svg", new File("icon.svg", "image/svg+xml"));

    private static final int THREADS = 4;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, PageServer::daemon);
    private final CellControl control;
    private final PageGuard guard;

    private PageServer(HttpServer server, CellControl control, PageGuard guard) {
        this.server = server;
        this.control = control;
        this.guard = guard;
    }

    /** @throws BindException saying what to do when the port is in use */
    static PageServer start(ClusterOptions options, CellControl control) throws IOException {
        List<String> cell = Node.all(options).stream().map(Node::origin).toList();
        PageServer page = new PageServer(bind(options.pagePort()), control, new PageGuard(options.pageOrigin(), cell));
        page.server.setExecutor(page.threads);
        page.server.createContext("/", page::handle);
        page.server.start();
        return page;
    }

    private static HttpServer bind(int port) throws IOException {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (BindException inUse) {
            BindException advice = new BindException(
                    "Port %d, on which the page would be, is in use.%nStop what uses it, or choose another: --page-port=%d"
                            .formatted(port, port + 100));
            advice.initCause(inUse);
            throw advice;
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "page");
        thread.setDaemon(true);
        return thread;
    }

    String url() {
        return guard.origin() + "/";
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            String path = exchange.getRequestURI().getPath();
            guard.protect(exchange.getResponseHeaders());
            String problem = guard.problem(method, exchange.getRequestHeaders());
            if (problem == null) {
                route(exchange, method, path);
            } else if (method.equals("GET") && path.equals("/") && guard.isLocalhost(exchange.getRequestHeaders())) {
                exchange.getResponseHeaders().set("Location", url());
                exchange.sendResponseHeaders(307, -1);
            } else {
                answer(exchange, Answer.error(403, problem));
            }
        }
    }

    private void route(HttpExchange exchange, String method, String path) throws IOException {
        File file = FILES.get(path);
        boolean changes = path.startsWith("/cell/");
        if (file == null && !changes && !path.equals("/cell")) {
            answer(exchange, Answer.error(404, "the page is " + url()));
        } else if (!method.equals(changes ? "POST" : "GET")) {
            exchange.getResponseHeaders().set("Allow", changes ? "POST" : "GET");
            answer(exchange, Answer.error(405, "use " + (changes ? "POST" : "GET")));
        } else if (file != null) {
            send(exchange, 200, file.type(), content(file));
        } else if (changes) {
            answer(
                    exchange,
                    control.perform(
                            Arrays.asList(path.substring("/cell/".length()).split("/", -1))));
        } else {
            answer(exchange, control.show(exchange.getRequestURI().getQuery()));
        }
    }

    private static byte[] content(File file) throws IOException {
        try (InputStream in = PageServer.class.getResourceAsStream("/page/" + file.name())) {
            if (in == null) {
                throw new IOException("/page/" + file.name() + " is not in the jar");
            }
            return in.readAllBytes();
        }
    }

    private static void answer(HttpExchange exchange, Answer answer) throws IOException {
        send(exchange, answer.status(), "application/json", JsonMapper.shared().writeValueAsBytes(answer.body()));
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] content) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, content.length);
        exchange.getResponseBody().write(content);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
