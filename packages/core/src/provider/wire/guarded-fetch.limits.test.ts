import { createGzip, gzipSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { type LoopbackServer, serveLoopback } from "../../../test/loopback-server.ts";
import { failure, stall } from "../../../test/pooled.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const allowing = (servers: readonly LoopbackServer[], options: GuardedFetchOptions = {}) =>
  createGuardedFetch({ ...options, allowPrivateHosts: servers.map(({ url }) => url.replace("http://", "")) });

describe("a guarded fetch of too much", () => {
  const maxBytes = 1000;

  it("accepts exactly maxBytes, and rejects one byte more", async () => {
    const server = await serveLoopback(({ url }, response) => response.end("x".repeat(Number(url?.slice(1)))));
    const guardedFetch = allowing([server], { maxBytes });

    expect((await guardedFetch(`${server.url}/1000`)).bytes).toHaveLength(1000);
    expect((await failure(guardedFetch(`${server.url}/1001`))).fields).toEqual({ reason: "too_large" });
    expect((await failure(guardedFetch(`${server.url}/1001`))).code).toBe("invalid_request");
  });

  it("cuts a longer reply off with cutsReply, and keeps its status", async () => {
    const server = await serveLoopback(({ url }, response) =>
      response.writeHead(207).end("é".repeat(Number(url?.slice(1)))),
    );
    const guardedFetch = allowing([server], { maxBytes, cutsReply: true });

    for (const [length, bytes] of [
      [499, 998],
      [500, 1000],
      [501, 1000],
      [500_000, 1000],
    ] as const) {
      const reply = await guardedFetch(`${server.url}/${length}`);
      expect([reply.status, reply.bytes.length]).toEqual([207, bytes]);
    }
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("stops an endless reply, and applies backpressure to its sender", async () => {
    let written = 0;
    const server = await serveLoopback((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on("drain", write);
      write();
    });

    const error = await failure(allowing([server], { maxBytes: 1_048_576 })(server.url));

    expect(error.fields).toEqual({ reason: "too_large" });
    await vi.waitFor(() => expect(server.open()).toBe(0));
    expect(written).toBeLessThan(32 * 1_048_576);
  });

  it("counts decoded bytes, so that a compression bomb is rejected with little memory", async () => {
    const server = await serveLoopback((_, response) => {
      response.setHeader("content-encoding", "gzip");
      const zip = createGzip();
      zip.pipe(response).on("close", () => zip.destroy());
      const zeros = Buffer.alloc(1_048_576);
      const write = () => {
        while (!zip.destroyed && zip.write(zeros)) continue;
      };
      zip.on("drain", write);
      write();
    });
    const before = process.memoryUsage().rss;

    const error = await failure(allowing([server], { maxBytes: 8 * 1_048_576 })(server.url));

    expect(error.fields).toEqual({ reason: "too_large" });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1_048_576);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("returns a decoded reply that is small enough", async () => {
    const body = gzipSync("x".repeat(1000));
    const server = await serveLoopback((_, response) => response.setHeader("content-encoding", "gzip").end(body));

    expect((await allowing([server], { maxBytes })(server.url)).bytes).toHaveLength(1000);
  });
});

describe("a guarded fetch that takes too long", () => {
  it.each([
    { what: "a server that never answers", handle: () => {} },
    { what: "a body that never ends", handle: stall },
  ])("ends as timeout for $what, and leaves no connection", async ({ handle }) => {
    const server = await serveLoopback(handle);

    const error = await failure(allowing([server], { timeoutMs: 100 })(server.url));

    expect([error.code, error.message]).toEqual(["timeout", expect.stringMatching(/longer than 100 ms.*timeoutMs/)]);
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("limits the time of all redirects together", async () => {
    const server = await serveLoopback((_, response) => {
      setTimeout(() => response.writeHead(302, { location: "/" }).end(), 60);
    });

    expect((await failure(allowing([server], { timeoutMs: 150, maxRedirects: 9 })(server.url))).code).toBe("timeout");
    expect(server.requests.length).toBeLessThanOrEqual(3);
  });

  it("ends as timeout when a lookup never ends", async () => {
    const guardedFetch = createGuardedFetch({ timeoutMs: 50, lookup: () => {} });

    expect((await failure(guardedFetch("http://a.example/"))).code).toBe("timeout");
  });

  it("ends at once with the caller's reason when it is aborted, before or within the reply", async () => {
    const server = await serveLoopback((request, response) => {
      if (request.url === "/body") response.write("first");
    });
    const reason = new Error("enough");

    for (const path of ["/head", "/body"]) {
      const controller = new AbortController();
      const reply = allowing([server])(`${server.url}${path}`, { signal: controller.signal });
      await vi.waitFor(() => expect(server.requests).toContain(`GET ${path}`));
      controller.abort(reason);
      await expect(reply).rejects.toBe(reason);
    }

    await expect(allowing([server])(server.url, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    await vi.waitFor(() => expect([server.connections(), server.open()]).toEqual([2, 0]));
  });

  it("leaves neither timers nor sockets nor listeners behind", async () => {
    const server = await serveLoopback((_, response) => response.end("ok"));
    const guardedFetch = allowing([server]);
    await guardedFetch(server.url);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, "addEventListener");
    const removed = vi.spyOn(signal, "removeEventListener");
    const before = process.getActiveResourcesInfo().length;

    for (let index = 0; index < 10; index++) {
      await guardedFetch(server.url, { signal });
      await failure(guardedFetch("http://10.0.0.1/", { signal }));
    }

    expect(removed.mock.calls).toHaveLength(added.mock.calls.length);
    await vi.waitFor(() => expect(server.open()).toBe(0));
    // The runner has timers of its own that come and go; ten of ours would show.
    expect(process.getActiveResourcesInfo().length).toBeLessThan(before + 5);
  });
});
