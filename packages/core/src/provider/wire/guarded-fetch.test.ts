import { once } from "node:events";
import { createServer, type AddressInfo, type LookupFunction, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createGzip, gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { localhostTls, type LoopbackServer, serveLoopback } from "../../../test/loopback-server.ts";
import { codeOf, echo, failure, stall } from "../../../test/pooled.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";

const allowing = (servers: readonly LoopbackServer[], options: GuardedFetchOptions = {}) =>
  createGuardedFetch({ ...options, allowPrivateHosts: servers.map(({ url }) => url.replace("http://", "")) });

const textOf = ({ bytes }: { bytes: Uint8Array }) => Buffer.from(bytes).toString();

// The system's own lookup gives an error and nothing else, whatever its type says.
const lookupAsNodeFails: LookupFunction = (_hostname, _options, callback) => {
  const error = Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  (callback as (error: Error) => void)(error);
};

describe("a guarded fetch", () => {
  it("returns the whole reply, and leaves no connection", async () => {
    const server = await serveLoopback((_, response) => response.writeHead(201, { "x-one": "1" }).end("héllo"));

    const reply = await allowing([server])(`${server.url}/path`);

    expect([reply.status, reply.headers.get("x-one"), reply.url]).toEqual([201, "1", `${server.url}/path`]);
    expect(textOf(reply)).toBe("héllo");
    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("sends method, headers and body", async () => {
    const server = await serveLoopback(echo);

    const reply = await allowing([server])(server.url, { method: "post", headers: { "x-one": "1" }, body: "hi" });

    expect(JSON.parse(textOf(reply))).toMatchObject({ method: "POST", headers: { "x-one": "1" }, body: "hi" });
  });

  it("reaches a private host only by a host and port in allowPrivateHosts", async () => {
    const server = await serveLoopback(echo);
    const other = await serveLoopback(echo);
    const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`localhost:${server.port}`, "[::1]:1"] });

    expect((await guardedFetch(`http://localhost:${server.port}/`)).status).toBe(200);
    for (const url of [server.url, other.url, `http://localhost:${other.port}/`]) {
      expect((await failure(guardedFetch(url))).fields).toEqual({ reason: "private_address" });
    }
    expect([server.connections(), other.connections()]).toEqual([1, 0]);
  });

  it.each([
    "localhost",
    "127.0.0.1",
    "http://localhost:80",
    "user@localhost:80",
    "localhost:80/x",
    "",
    ":80",
    "a b:80",
  ])("rejects %j in allowPrivateHosts when it is created", (host) => {
    expect(() => createGuardedFetch({ allowPrivateHosts: [host] })).toThrow(
      "allowPrivateHosts[0] must be a host and port",
    );
  });

  it.each(["maxBytes", "timeoutMs", "maxRedirects"])("rejects a %s that is no integer", (option) => {
    expect(() => createGuardedFetch({ [option]: -1 })).toThrow(option);
  });

  it("uses https, and leaves no connection when a reply breaks off", async () => {
    const known = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(known));
    const tls = localhostTls();
    const server = await serveLoopback(
      ({ url }, response) => {
        if (url === "/whole") response.end("whole");
        else response.write("first");
      },
      { tls },
    );
    const allowPrivateHosts = [`127.0.0.1:${server.port}`];
    const guardedFetch = createGuardedFetch({ allowPrivateHosts });

    expect((await failure(guardedFetch(server.url))).fields).toEqual({ reason: "unreachable" });
    setDefaultCACertificates([...known, tls.cert]);
    expect(textOf(await guardedFetch(`${server.url}/whole`))).toBe("whole");
    const impatientFetch = createGuardedFetch({ allowPrivateHosts, timeoutMs: 300 });
    expect((await failure(impatientFetch(server.url))).code).toBe("timeout");

    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("closes a connection whose handshake hangs", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo;
    const connected = once(silent, "connection");
    const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`127.0.0.1:${port}`], timeoutMs: 100 });

    const error = await failure(guardedFetch(`https://127.0.0.1:${port}/`));

    expect(error.code).toBe("timeout");
    const [socket] = (await connected) as [Socket];
    socket.resume();
    await vi.waitFor(() => expect(socket.closed).toBe(true));
  });

  it("rejects as unreachable when a name cannot be looked up", async () => {
    const cause = Object.assign(new Error("queryA ENOTFOUND a.example"), { code: "ENOTFOUND" });
    const failing = createGuardedFetch({ lookup: (_hostname, _options, callback) => callback(cause, "") });
    const silent = createGuardedFetch({ lookup: lookupAsNodeFails });

    for (const guardedFetch of [failing, silent]) {
      const error = await failure(guardedFetch("http://a.example/"));
      expect(error).toMatchObject({ code: "invalid_request", fields: { reason: "unreachable" } });
      expect(codeOf(error)).toBe("ENOTFOUND");
      expect(error.message).not.toContain("a.example");
    }
  });

  it("rejects as unreachable without naming the server, for any network failure", async () => {
    const server = await serveLoopback(({ socket }) => void socket.destroy());

    const error = await failure(allowing([server])(server.url));

    expect([error.code, error.fields]).toEqual(["invalid_request", { reason: "unreachable" }]);
    expect(error.message).not.toContain("127.0.0.1");
  });
});

describe("a guarded fetch that is redirected", () => {
  it.each([
    { status: 301, method: "POST", becomes: "GET" },
    { status: 302, method: "POST", becomes: "GET" },
    { status: 303, method: "PUT", becomes: "GET" },
    { status: 303, method: "HEAD", becomes: "HEAD" },
    { status: 301, method: "PUT", becomes: "PUT" },
    { status: 307, method: "POST", becomes: "POST" },
    { status: 308, method: "POST", becomes: "POST" },
  ])(
    "turns $method into $becomes by $status, and keeps the body only with the method",
    async ({ status, method, becomes }) => {
      const bodies: string[] = [];
      const server = await serveLoopback((request, response) => {
        request.on("data", (chunk: Buffer) => bodies.push(`${request.url} ${chunk.toString()}`));
        request.on("end", () => {
          if (request.url === "/start") response.writeHead(status, { location: "end?x=1" });
          response.end();
        });
      });

      const reply = await allowing([server])(`${server.url}/start`, { method, body: "hi" });

      expect(reply.url).toBe(`${server.url}/end?x=1`);
      expect(server.requests).toEqual([`${method} /start`, `${becomes} /end?x=1`]);
      expect(bodies).toEqual(becomes === "GET" ? ["/start hi"] : ["/start hi", "/end?x=1 hi"]);
    },
  );

  it("sends only harmless headers to another origin", async () => {
    const second = await serveLoopback(echo);
    const first = await serveLoopback((_, response) => response.writeHead(302, { location: second.url }).end());
    const secrets = { Authorization: "a", Cookie: "b", "X-Api-Key": "c", "x-goog-api-key": "d" };

    const reply = await allowing([first, second])(first.url, { headers: { ...secrets, Accept: "image/*" } });

    const { headers } = JSON.parse(textOf(reply)) as { headers: object };
    expect(Object.keys(headers).toSorted()).toEqual(["accept", "accept-encoding", "connection", "host"]);
    expect(headers).toMatchObject({ accept: "image/*" });
  });

  it("keeps its headers within the same origin", async () => {
    const server = await serveLoopback((request, response) => {
      if (request.url === "/start") response.writeHead(302, { location: "/end" }).end();
      else echo(request, response);
    });

    const reply = await allowing([server])(`${server.url}/start`, { headers: { authorization: "a" } });

    expect(JSON.parse(textOf(reply))).toMatchObject({ headers: { authorization: "a" } });
  });

  it.each([307, 308])("carries no body to another origin by %i", async (status) => {
    const second = await serveLoopback(echo);
    const first = await serveLoopback((_, response) => response.writeHead(status, { location: second.url }).end());

    const error = await failure(allowing([first, second])(first.url, { method: "POST", body: "hi" }));

    expect(error.fields).toEqual({ reason: "redirected_body" });
    expect(second.connections()).toBe(0);
  });

  it.each([0, 1, 3])("follows maxRedirects of %i, and not one more", async (maxRedirects) => {
    const server = await serveLoopback((_, response) => response.writeHead(302, { location: "/" }).end());

    const error = await failure(allowing([server], { maxRedirects })(server.url));

    expect(error.fields).toEqual({ reason: "too_many_redirects" });
    expect(server.requests).toHaveLength(maxRedirects + 1);
  });

  it("returns a redirect without a location as the answer", async () => {
    const server = await serveLoopback((_, response) => response.writeHead(302).end("here"));

    expect(textOf(await allowing([server])(server.url))).toBe("here");
  });
});

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
