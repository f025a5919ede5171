import { execFile } from "node:child_process";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { promisify } from "node:util";
import { letRun } from "@troupe-internal/interleavings";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Agent, MockAgent } from "undici";
import { startForwardProxy } from "../../test/forward-proxy.ts";
import type { ProxyMode } from "../../test/forward-proxy.ts";
import { localhostTls, serveLoopback } from "../../test/loopback-server.ts";
import { echo, failure } from "../../test/pooled.ts";
import type { Echo } from "../../test/pooled.ts";
import { isRetryable } from "../base/retry/is-retryable.ts";
import { toModelError } from "../base/errors/to-model-error.ts";
import { readOptions } from "../base/errors/read-options.ts";
import { postJson } from "./wire/post-json.ts";
import { sharedHttpPool } from "./wire/shared-http-pool.ts";
import { Network, networkOptionTable } from "./network.ts";
import type { NetworkOptions } from "./network.ts";

afterEach(() => void vi.unstubAllEnvs());

/** Starts a server over TLS that answers with the request, and whose certificate the process trusts until the test ends. */
async function startTrusted() {
  const tls = localhostTls();
  const known = getCACertificates("default");
  setDefaultCACertificates([...known, tls.cert]);
  onTestFinished(() => setDefaultCACertificates(known));
  const { port, requests } = await serveLoopback(echo, { tls });
  return { url: `https://localhost:${port}/v1`, port, requests };
}

async function read(network: Network, url: string): Promise<Echo> {
  return JSON.parse(await (await network.send(url, { method: "POST", body: "{}" })).text()) as Echo;
}

describe("a provider behind a proxy [provider.network]", () => {
  it("reaches its server by CONNECT, and keeps the tunnel for the next request", async () => {
    const { url, port, requests } = await startTrusted();
    const proxy = await startForwardProxy();
    const network = new Network({ proxy: proxy.url.replace("//", "//user:pass%20word@") });

    await read(network, url);
    await letRun();
    const { body, headers } = await read(network, url);

    expect([requests, body]).toEqual([["POST /v1", "POST /v1"], "{}"]);
    expect(headers).not.toHaveProperty("proxy-authorization");
    const authorization = `Basic ${Buffer.from("user:pass word").toString("base64")}`;
    expect(proxy.requests).toEqual([{ line: `CONNECT localhost:${port}`, authorization }]);
  });

  it("sends requests without TLS to the proxy", async () => {
    const { url } = await serveLoopback(echo);
    const proxy = await startForwardProxy();

    expect((await read(new Network({ proxy: proxy.url }), `${url}/v1`)).body).toBe("{}");
    expect(proxy.requests[0]?.line).toMatch(/^(POST http|CONNECT )/);
  });

  it.each<[ProxyMode, { message: RegExp; isRetried: boolean }]>([
    [407, { message: /proxy refused the connection \(status 407\).*user and the password/, isRetried: false }],
    [403, { message: /proxy refused the connection \(status 403\)/, isRetried: false }],
    [502, { message: /^The connection to|could not answer/, isRetried: true }],
    ["destroy", { message: /^The connection to/, isRetried: true }],
  ])("tells what the proxy did, mode %s", async (mode, { message, isRetried }) => {
    const { url, requests } = await startTrusted();
    const proxy = await startForwardProxy(mode);
    const network = new Network({ proxy: proxy.url.replace("//", "//user:canary-secret@") });

    const thrown = await failure(network.send(url));
    const error = toModelError(thrown, { providerId: "openai" });

    expect(error).toMatchObject({ code: "model_failed", message: expect.stringMatching(message) });
    expect(isRetryable(error)).toBe(isRetried);
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain("canary");
    expect(requests).toEqual([]);
  });

  it("ends at once when its signal aborts while the proxy is silent", async () => {
    const { url } = await startTrusted();
    const silent = await startForwardProxy("silent");
    const abort = new AbortController();

    const sending = new Network({ proxy: silent.url }).send(url, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 30);

    await expect(sending).rejects.toThrow("enough");
  });

  it.each([
    ["NODE_USE_ENV_PROXY=1", { NODE_USE_ENV_PROXY: "1" }, 1],
    ["a host of NO_PROXY", { NODE_USE_ENV_PROXY: "1", NO_PROXY: "localhost" }, 0],
    ["no flag", {}, 0],
  ])("obeys HTTPS_PROXY in a process of its own, with %s", async (_, environment, proxied) => {
    const { url } = await startTrusted();
    const proxy = await startForwardProxy();
    const program = `
      const { Network } = await import(${JSON.stringify(new URL("network.ts", import.meta.url).href)});
      const reply = await new Network().send(process.argv[1], { method: "POST", body: "{}" });
      process.stdout.write(String(reply.status));
      await reply.text();`;
    const certificate = new URL("./wire/__fixtures__/localhost-certificate.pem", import.meta.url).pathname;
    const env = { NODE_EXTRA_CA_CERTS: certificate, HTTPS_PROXY: proxy.url, NODE_NO_WARNINGS: "1", ...environment };

    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, url], {
      env,
    });

    expect([stdout, proxy.requests.length]).toEqual(["200", proxied]);
  });
});

it("connections to proxies of the environment end with the shared pool", async () => {
  const { url } = await serveLoopback(echo);
  const proxy = await startForwardProxy();
  vi.stubEnv("NODE_USE_ENV_PROXY", "1");
  vi.stubEnv("HTTP_PROXY", proxy.url);
  vi.stubEnv("http_proxy", proxy.url);
  vi.stubEnv("NO_PROXY", "");
  vi.stubEnv("no_proxy", "");
  const pool = sharedHttpPool();

  await read(new Network(), `${url}/v1`);
  const open = proxy.openConnections();
  await pool.close();

  expect(open).toBe(1);
  await vi.waitFor(() => expect(proxy.openConnections()).toBe(0));
});

describe("the user's own way to send [provider.network]", () => {
  it("is a fetch", async () => {
    const { url } = await serveLoopback(echo);
    const asked: unknown[] = [];
    const network = new Network({
      fetch: async (address, init) => {
        asked.push([address, init.method]);
        return await fetch(address, init);
      },
    });

    expect((await read(network, `${url}/v1`)).body).toBe("{}");
    expect(asked).toEqual([[`${url}/v1`, "POST"]]);
  });

  it("is a fetch, whose silence is bounded and whose body is left", async () => {
    const { url, open } = await serveLoopback((_, response) => response.write("first"));
    const network = new Network({ fetch });

    const reply = await network.send(url, { idleTimeoutMs: 50 });
    expect(Buffer.from((await reply.bytes.next()).value ?? []).toString()).toBe("first");
    expect(await failure(reply.bytes.next())).toMatchObject({ code: "timeout" });
    const late = await failure(
      new Network({ fetch: () => new Promise<Response>(() => undefined) }).send(url, { headersTimeoutMs: 50 }),
    );
    expect(late).toMatchObject({ code: "timeout", cause: { code: "ETIMEDOUT" } });

    const left = await network.send(url);
    await left.bytes.return?.();
    await reply.bytes.return?.();
    await vi.waitFor(() => expect(open()).toBe(0));
  });

  it("is a fetch, whose redirect is refused and whose signal ends it", async () => {
    const { url } = await serveLoopback((request, response) => {
      if (request.url === "/silent") return;
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const network = new Network({ fetch });
    const abort = new AbortController();

    expect(await failure(network.send(url))).toMatchObject({ code: "model_failed", fields: { status: 307 } });
    const sending = network.send(`${url}/silent`, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("enough")), 30);
    await expect(sending).rejects.toThrow("enough");
  });

  it("is a dispatcher of undici", async () => {
    const mock = new MockAgent();
    mock.disableNetConnect();
    mock.get("https://api.example.com").intercept({ path: "/v1", method: "POST" }).reply(200, "mocked");
    onTestFinished(() => mock.close());
    const { url } = await serveLoopback(echo);
    const agent = new Agent();
    onTestFinished(() => agent.close());

    const mocked = await new Network({ dispatcher: mock }).send("https://api.example.com/v1", { method: "POST" });
    expect(await mocked.text()).toBe("mocked");
    expect((await read(new Network({ dispatcher: agent }), url)).body).toBe("{}");
  });
});

describe("the user's headers [provider.network]", () => {
  const call = { providerId: "openai" };
  const toError = () => new Error("refused");

  it("stand for the provider's, and null removes one", async () => {
    const { url } = await serveLoopback(echo);
    const network = new Network({ headers: { "Api-Key": "k1", Authorization: null, "user-agent": "ours" } });
    const headers = await network.readHeaders();

    const reply = await postJson(network, {
      url,
      body: {},
      headers: { authorization: "Bearer none" },
      call: { ...call, headers },
      toError,
    });

    const sent = (JSON.parse(await reply.text()) as Echo).headers;
    expect(sent).toMatchObject({ "api-key": "k1", "user-agent": "ours", "content-type": "application/json" });
    expect(sent).not.toHaveProperty("authorization");
  });

  it("come from a function for each call, whose result is checked", async () => {
    let calls = 0;
    const network = new Network({ headers: async () => ({ "x-token": `token-${++calls}` }) });
    const wrong = new Network({ headers: (() => ({ host: "elsewhere" })) as () => Record<string, string> });

    expect([await network.readHeaders(), await network.readHeaders()]).toEqual([
      { "x-token": "token-1" },
      { "x-token": "token-2" },
    ]);
    await expect(wrong.readHeaders()).rejects.toMatchObject({ code: "invalid_config" });
    await expect(new Network({ headers: () => ({ "x-a": "é\n" }) }).readHeaders()).rejects.toMatchObject({
      code: "invalid_config",
    });
  });
});

describe("options of the network", () => {
  it.each<[string, object, RegExp]>([
    ["a header of the connection", { headers: { Host: "a" } }, /must not set Host/],
    [
      "credentials of a proxy as a header",
      { headers: { "proxy-authorization": "a" } },
      /must not set proxy-authorization/,
    ],
    ["a header with a line break", { headers: { "x-a": "canary\r\nx-b: c" } }, /^headers must be (?!.*canary)/],
    ["a header without a name", { headers: { "": "a" } }, /^headers must be/],
    ["an address of files", { proxy: "file:///etc" }, /^proxy must be/],
    ["a proxy with a path", { proxy: "http://proxy/path" }, /^proxy must be/],
    ["no dispatcher", { dispatcher: {} }, /^dispatcher must be a dispatcher of undici/],
    ["two ways to send", { proxy: "http://proxy", fetch }, /^fetch and proxy exclude each other/],
  ])("are refused: %s", (_, options, message) => {
    const make = () => new Network(readOptions(networkOptionTable, options, { owner: "test" }) as NetworkOptions);

    expect(make).toThrow(expect.objectContaining({ code: "invalid_config", message: expect.stringMatching(message) }));
  });
});
