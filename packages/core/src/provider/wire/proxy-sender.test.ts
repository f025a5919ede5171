import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startForwardProxy } from "../../../test/forward-proxy.ts";
import { serveLoopback } from "../../../test/loopback-server.ts";
import { readText } from "../../../test/pooled.ts";
import { dispatcherSender, proxySender } from "./proxy-sender.ts";
import type { ProxyAddresses } from "./proxy-sender.ts";
import { sharedHttpPool, sharedHttpSender } from "./shared-http-pool.ts";

const none = { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };

/** A server, a proxy, and a sender through this proxy. */
async function start(addresses: (proxy: string, port: number) => ProxyAddresses) {
  const server = await serveLoopback((_, response) => response.end("Hi."));
  const proxy = await startForwardProxy();
  const sender = proxySender(addresses(proxy.url, server.port));
  onTestFinished(() => sender.close());
  const read = async (): Promise<string> => await readText(sender.send(server.url));
  return { server, proxy, sender, read };
}

describe("a sender through proxies", () => {
  it.each([
    ["one address", (proxy: string) => proxy, 1],
    ["that for http:", (proxy: string) => ({ ...none, httpProxy: proxy }), 1],
    ["that for https: alone", (proxy: string) => ({ ...none, httpsProxy: proxy }), 0],
    ["hosts without one", (proxy: string) => ({ ...none, httpProxy: proxy, noProxy: "127.0.0.1" }), 0],
    ["other hosts without one", (proxy: string) => ({ ...none, httpProxy: proxy, noProxy: "other.example" }), 1],
    ["none", () => none, 0],
  ])(
    "a sender through proxies by %s sends so many requests through it, and keeps its connection",
    async (_title, addresses, times) => {
      vi.stubEnv("http_proxy", "http://127.0.0.1:1");
      vi.stubEnv("no_proxy", "");
      onTestFinished(() => void vi.unstubAllEnvs());
      const { server, proxy, read } = await start(addresses);
      expect(await read()).toBe("Hi.");
      expect(proxy.requests).toHaveLength(times);
      expect(await read()).toBe("Hi.");
      expect(server.requests).toHaveLength(2);
      expect(proxy.openConnections()).toBe(Math.min(times, 1));
    },
  );

  it("ends its connections when it is closed, also before its first request", async () => {
    const { proxy, sender, read } = await start((url) => url);
    await read();
    expect(proxy.openConnections()).toBe(1);
    await sender.close();
    await vi.waitFor(() => expect(proxy.openConnections()).toBe(0), { interval: 5 });
    await expect(proxySender("http://127.0.0.1:1").close()).resolves.toBeUndefined();
  });

  it.each([
    ["the one address", (main: string) => main, [1, 0]],
    ["that for https:", (main: string, other: string) => ({ ...none, httpProxy: other, httpsProxy: main }), [1, 0]],
    ["that for http: if there is no other", (main: string) => ({ ...none, httpProxy: main }), [1, 0]],
    ["none for a host without one", (main: string) => ({ ...none, httpsProxy: main, noProxy: "127.0.0.1" }), [0, 0]],
  ])("a sender through proxies by %s asks for a tunnel to a server of https:", async (_title, addresses, times) => {
    vi.stubEnv("https_proxy", "http://127.0.0.1:1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const [main, other] = [await startForwardProxy(502), await startForwardProxy(502)];
    const sender = proxySender(addresses(main.url, other.url));
    onTestFinished(() => sender.close());
    const server = await serveLoopback((_, response) => response.end());
    await expect(sender.send(`https://127.0.0.1:${server.port}`)).rejects.toMatchObject({ code: "unavailable" });

    expect([main.requests.length, other.requests.length]).toEqual(times);
    for (const { line } of main.requests) expect(line).toBe(`CONNECT 127.0.0.1:${server.port}`);
  });

  it("refuses a request after it was closed as unavailable, and opens no connection for it", async () => {
    const { proxy, sender, read } = await start((url) => url);
    await read();
    await sender.close();
    await vi.waitFor(() => expect(proxy.openConnections()).toBe(0), { interval: 5 });

    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
    expect([proxy.requests.length, proxy.openConnections()]).toEqual([1, 0]);
  });
});

it("a dispatcher of the user gets each request with its method and headers", async () => {
  const seen: { path: string; method: string; origin: string }[] = [];
  const dispatch = (
    options: { path: string; method: string; origin: string },
    handler: { onResponseError(c: null, e: Error): void },
  ) => {
    seen.push(options);
    handler.onResponseError(null, Object.assign(new Error("down"), { code: "ECONNREFUSED" }));
    return true;
  };
  const sender = dispatcherSender({ dispatch });
  const failed = sender.send("http://vendor.example/a?b", { method: "post", headers: { "x-one": "1" }, body: "hi" });
  await expect(failed).rejects.toMatchObject({ code: "unavailable" });
  expect(seen).toMatchObject([
    {
      origin: "http://vendor.example",
      path: "/a?b",
      method: "POST",
      body: "hi",
      headers: expect.arrayContaining(["x-one", "1"]),
    },
  ]);
});

describe("the connections that all models share", () => {
  it("are the pool without proxies, and one sender for the proxies that were named last", async () => {
    onTestFinished(() => sharedHttpPool().close());
    const [one, other] = [
      { ...none, httpProxy: "http://127.0.0.1:1" },
      { ...none, httpsProxy: "http://127.0.0.1:1" },
    ];
    expect(sharedHttpSender(undefined)).toBe(sharedHttpPool());
    const sender = sharedHttpSender(one);
    expect(sender).not.toBe(sharedHttpPool());
    expect(sharedHttpSender({ ...one })).toBe(sender);
    const second = sharedHttpSender(other);
    expect(second).not.toBe(sender);
    expect(sharedHttpSender(other)).toBe(second);
    expect(sharedHttpSender(one)).not.toBe(sender);
    expect(sharedHttpSender(undefined)).toBe(sharedHttpPool());
  });

  it("end with the pool, those to proxies too, and then are made anew", async () => {
    const server = await serveLoopback((_, response) => response.end("Hi."));
    const proxy = await startForwardProxy();
    const addresses = { ...none, httpProxy: proxy.url };
    const [pool, sender] = [sharedHttpPool(), sharedHttpSender(addresses)];
    expect(await (await sender.send(server.url)).text()).toBe("Hi.");
    const direct = await serveLoopback((_, response) => response.end("Hi."));
    await readText(pool.send(direct.url));
    await pool.close();
    await vi.waitFor(() => expect([proxy.openConnections(), direct.open()]).toEqual([0, 0]), { interval: 5 });
    await expect(pool.send(server.url)).rejects.toMatchObject({ code: "unavailable" });
    const next = sharedHttpPool();
    onTestFinished(() => next.close());
    expect(next).not.toBe(pool);
    expect(sharedHttpSender(addresses)).not.toBe(sender);
    await pool.close();
    expect(sharedHttpPool()).toBe(next);
    expect(await (await next.send(server.url)).text()).toBe("Hi.");
  });

  it.each(["direct", "proxies", "both"])("are made anew for a call during their close: %s in use", async (used) => {
    const server = await serveLoopback((_, response) => response.end("Hi."));
    const proxy = await startForwardProxy();
    const addresses = { ...none, httpProxy: proxy.url };
    const [pool, sender] = [sharedHttpPool(), sharedHttpSender(addresses)];
    if (used !== "proxies") await readText(pool.send(server.url));
    if (used !== "direct") await readText(sender.send(server.url));
    const over = { isClosed: false };
    const closing = pool.close().then(() => (over.isClosed = true));
    const [next, nextSender] = [sharedHttpPool(), sharedHttpSender(addresses)];
    onTestFinished(() => next.close());

    expect([next === pool, nextSender === sender]).toEqual([false, false]);
    const calls = [next.send(server.url), nextSender.send(server.url)];
    expect(over.isClosed).toBe(false);
    expect(await Promise.all(calls.map((call) => readText(call)))).toEqual(["Hi.", "Hi."]);
    await closing;
    expect([sharedHttpPool() === next, sharedHttpSender(addresses) === nextSender]).toEqual([true, true]);
    expect(await readText(nextSender.send(server.url))).toBe("Hi.");
  });
});
