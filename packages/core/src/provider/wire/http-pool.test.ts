import type { RequestListener } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localhostTls, serveLoopback } from "../../../test/loopback-server.ts";
import { codeOf, echo, failure, readEcho, readText, stall, startPooled } from "../../../test/pooled.ts";
import { createHttpPool } from "./http-pool.ts";
import { isRedirect, refuseRedirect } from "./http-sender.ts";
import { sharedHttpPool } from "./shared-http-pool.ts";

const post = { method: "POST", body: "hi" };

describe("a request of a pool", () => {
  it("sends method, path, headers and body, and returns the reply", async () => {
    const { send, url } = await startPooled(echo);

    const response = await send(`${url}/a/b?c=d%20e`, {
      method: "post",
      headers: { "X-One": "1", "Content-Type": "application/json" },
      body: '{"é":1}',
    });

    expect(response.status).toBe(200);
    expect(await readEcho(response)).toMatchObject({
      method: "POST",
      url: "/a/b?c=d%20e",
      headers: { "x-one": "1", "content-type": "application/json", "content-length": "8", accept: "*/*" },
      body: '{"é":1}',
    });
  });

  it.each([
    { what: "text", body: "hi", sent: "hi" },
    { what: "bytes", body: new Uint8Array([104, 105]), sent: "hi" },
    { what: "nothing", body: undefined, sent: "" },
  ])("sends $what, and no content type of its own", async ({ body, sent }) => {
    const { send, url } = await startPooled(echo);

    const echoed = await readEcho(send(url, { method: "POST", body }));

    expect([echoed.body, echoed.headers["content-length"]]).toEqual([sent, String(sent.length)]);
    expect(echoed.headers).not.toHaveProperty("content-type");
  });

  it("sets the headers of the connection itself, whatever headers it is given", async () => {
    const { send, url, server } = await startPooled(echo);
    const foreign = { host: "x.example", connection: "close", "content-length": "9", "transfer-encoding": "chunked" };

    const { headers } = await readEcho(send(url, { ...post, headers: foreign }));

    expect(headers).toMatchObject({ host: `127.0.0.1:${server.port}`, connection: "keep-alive" });
    expect(headers).toMatchObject({ "content-length": "2" });
    expect(headers).not.toHaveProperty("transfer-encoding");
  });

  // Two, because a connection rests for one turn of the event loop before it is used again.
  it("sends 1,000 sequential requests over at most two connections", async () => {
    const { send, url, server } = await startPooled(echo);

    for (let index = 0; index < 1000; index++) await (await send(url, post)).text();

    expect(server.requests).toHaveLength(1000);
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it("sends 50 concurrent requests over at most 50 connections, and reuses them for the next 50", async () => {
    const { send, url, server } = await startPooled(echo);
    const burst = () => Promise.all(Array.from({ length: 50 }, () => readText(send(url, post))));

    expect([...(await burst()), ...(await burst())]).toHaveLength(100);
    expect(server.connections()).toBeLessThanOrEqual(50);
  });

  it("opens a new connection when the server closed the idle one", async () => {
    const { send, url, server } = await startPooled((request, response) => {
      response.end("ok", () => request.socket.end());
    });

    await readText(send(url));
    await vi.waitFor(() => expect(server.open()).toBe(0));

    expect(await readText(send(url))).toBe("ok");
  });

  it("uses no proxy from the environment", async () => {
    for (const name of ["http_proxy", "HTTP_PROXY", "ALL_PROXY"]) vi.stubEnv(name, "http://127.0.0.1:9");
    onTestFinished(() => void vi.unstubAllEnvs());
    const { send, url } = await startPooled(echo);

    expect((await send(url)).status).toBe(200);
  });

  it("uses https, to servers whose certificate is trusted", async () => {
    const tls = localhostTls();
    const known = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(known));
    const { send, url, server } = await startPooled(echo, { tls });

    const untrusted = await failure(send(url));
    setDefaultCACertificates([...known, tls.cert]);
    for (let index = 0; index < 3; index++) expect(await readText(send(url))).toContain("GET");

    expect(codeOf(untrusted)).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
    expect(server.connections()).toBe(2);
  });
});

describe("a pool", () => {
  it("closes its connections, ends running requests, and rejects new ones", async () => {
    const { pool, send, url, server } = await startPooled(stall);
    const response = await send(url);

    await pool.close();
    await pool.close();

    await expect(response.text()).rejects.toMatchObject({ code: "unavailable" });
    await expect(send(url)).rejects.toMatchObject({ code: "unavailable" });
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("refuses a request that comes while it closes, at once, whether it was used or not", async () => {
    const { pool, send, url } = await startPooled(echo);
    await readText(send(url));
    const unused = createHttpPool();
    for (const closing of [pool, unused]) {
      const closed = closing.close();
      const late = closing.send(url);
      await expect(late).rejects.toMatchObject({
        code: "unavailable",
        message: "The HTTP pool is closed. Make a new one.",
      });
      await closed;
    }
  });

  it("can be closed without any use", async () => {
    await expect(createHttpPool().close()).resolves.toBeUndefined();
  });

  it.each(["headersTimeoutMs", "idleTimeoutMs", "keepAliveMs"])(
    "rejects a %s that exceeds the limit of a timer",
    (option) => {
      expect(() => createHttpPool({ [option]: 0 })).toThrow(option);
    },
  );

  it("closes an idle connection after keepAliveMs", async () => {
    const { send, url, server } = await startPooled((_, response) => response.end("ok"), { keepAliveMs: 50 });

    await readText(send(url));

    await vi.waitFor(() => expect(server.open()).toBe(0), 5000);
  });

  it("closes an idle connection after keepAliveMs, even if the server would keep it for longer", async () => {
    const answer: RequestListener = (_, response) => {
      response.writeHead(200, { connection: "keep-alive", "keep-alive": "timeout=60" }).end("ok");
    };
    const { send, url, server } = await startPooled(answer, { keepAliveMs: 50 });

    await readText(send(url));

    // The server itself closes it after 5 seconds.
    await vi.waitFor(() => expect(server.open()).toBe(0), 4000);
  });
});

describe("the shared pool", () => {
  it("is shared by all callers until it is closed", async () => {
    const server = await serveLoopback(echo);
    const first = sharedHttpPool();
    await readText(sharedHttpPool().send(server.url));
    await readText(first.send(server.url));
    expect([sharedHttpPool() === first, server.connections()]).toEqual([true, 1]);

    await first.close();
    const second = sharedHttpPool();
    onTestFinished(() => second.close());

    expect(second).not.toBe(first);
    expect((await second.send(server.url)).status).toBe(200);
  });
});

it.each([
  [299, false],
  [300, true],
  [304, false],
  [399, true],
  [400, false],
])("isRedirect of the status %d is %s", (status, expected) => {
  expect(isRedirect(status)).toBe(expected);
});

it("a redirect is refused with its status, and its body left", async () => {
  const left: string[] = [];
  const body = (async function* (): AsyncGenerator<Uint8Array, undefined> {
    try {
      yield await Promise.resolve(Buffer.from("a"));
      yield Buffer.from("b");
    } finally {
      left.push("left");
    }
    return undefined;
  })();
  await body.next();

  await expect(refuseRedirect(307, body)).rejects.toMatchObject({
    code: "model_failed",
    message:
      "The server answered with a redirect, which is not followed. Set baseURL to the address that it redirects to.",
    fields: { status: 307 },
  });
  expect(left).toEqual(["left"]);
});
