import { Socket } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { card1, fakeRemote, sendJson, sendResult, task1 } from "../../test/fake-remote.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import { RemoteHttp } from "./remote-http.ts";

const byte = fc.integer({ min: 0, max: 255 });
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));

/** IPv4 addresses of networks that are not public. */
const privateV4 = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
);

/** The spellings of an IPv4 address that a URL takes. */
const spelled = fc.tuple(privateV4, fc.integer({ min: 0, max: 5 })).map(([[a, b, c, d], form]) => {
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number): string => `0x${value.toString(16)}`;
  const forms = [
    [a, b, c, d].join("."),
    String(whole),
    hex(whole),
    [a, b, c, d].map(hex).join("."),
    [a, b, c, d].map((value) => `0${value.toString(8)}`).join("."),
    `[::ffff:${[a, b, c, d].join(".")}]`,
  ];
  return forms[form] ?? "";
});

const privateV6 = fc.oneof(
  fc.constantFrom("[::1]", "[::]"),
  fc.tuple(fc.constantFrom("fc00", "fd12", "fe80", "febf"), group, group).map((groups) => `[${groups.join(":")}::1]`),
);

const scheme = fc.constantFrom("http", "https");
const port = fc.constantFrom("", ":80", ":443", ":8080", ":6379");
const privateUrl = fc
  .tuple(scheme, fc.oneof(spelled, privateV6), port)
  .map(([protocol, host, at]) => `${protocol}://${host}${at}/a2a`);

/** Watches the connections that are opened. Returns a function that gives their hosts and ports. */
function watchConnections(): () => string[] {
  const connect = vi.spyOn(Socket.prototype, "connect");
  onTestFinished(() => connect.mockRestore());
  return () => connect.mock.calls.map(targetOf);
}

/** An address that is public, of no server of ours. */
const publicHost = "93.184.216.34";

/** Leads the connections to a host to this machine, until the test is over. */
function leadTo(host: string): void {
  const connect: unknown = Reflect.get(Socket.prototype, "connect");
  const spy = vi.spyOn(Socket.prototype, "connect").mockImplementation(function (this: Socket, ...call: unknown[]) {
    const [first] = call;
    const target = (Array.isArray(first) ? first[0] : first) as { host?: string };
    if (target.host === host) target.host = "127.0.0.1";
    return Reflect.apply(connect as () => Socket, this, call);
  });
  onTestFinished(() => spy.mockRestore());
}

function targetOf(call: unknown): string {
  const [first] = call as [unknown];
  const { host, port: at } = (Array.isArray(first) ? first[0] : first) as { host?: string; port?: number | string };
  return `${host?.replace(/^\[|\]$/g, "")}:${at}`;
}

/** Returns the host and port that a connection to a URL would have. */
function targetOfUrl(url: string): string {
  const { hostname, port: given, protocol } = new URL(url);
  return `${hostname.replace(/^\[|\]$/g, "")}:${given || (protocol === "https:" ? 443 : 80)}`;
}

describe("an endpoint that a card names", () => {
  it("is not connected to at any of 1,000 private addresses [remote.private]", async () => {
    const urls = fc.sample(privateUrl, { numRuns: 1000, seed: 28 });
    const served: { urls: string[] } = { urls: [] };
    const { url } = await fakeRemote((_asked, response) => {
      const supportedInterfaces = served.urls.map((each) => ({
        url: each,
        protocolBinding: "JSONRPC",
        protocolVersion: "1.0",
      }));
      sendJson(response, card1({ supportedInterfaces, capabilities: { streaming: true } }));
    }, null);
    const connections = watchConnections();
    for (let start = 0; start < urls.length; start += 8) {
      served.urls = urls.slice(start, start + 8);
      const error: unknown = await new A2ARemoteAgent({ url, name: "far" })
        .run("Go.")
        .catch((thrown: unknown) => thrown);
      expect(error, served.urls.join(" ")).toMatchObject({
        code: "model_failed",
        message: expect.stringContaining("at an address that is not public"),
      });
    }

    const opened = new Set(connections());
    expect(opened).toContain(targetOfUrl(url));
    // Other tests of this process connect to servers of their own.
    expect(urls.map(targetOfUrl).filter((target) => opened.has(target))).toEqual([]);
  });

  it("is not connected to by a name that leads to a private address [remote.private]", async () => {
    const trap = await fakeRemote((asked, response) =>
      sendResult(asked, response, { task: task1("COMPLETED", "Trapped.") }),
    );
    const named = trap.url.replace("127.0.0.1", "localhost");
    const supportedInterfaces = [{ url: named, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const { url } = await fakeRemote(() => undefined, card1({ supportedInterfaces }));

    await expect(new A2ARemoteAgent({ url }).run("Go.")).rejects.toThrow("Add its origin to trustedOrigins");
    expect(trap.asked).toEqual([]);
  });

  it("gets no headers at another origin, unless the host trusts that [remote.other-origins]", async () => {
    const other = await fakeRemote((asked, response) =>
      sendResult(asked, response, { task: task1("COMPLETED", "Rain.") }),
    );
    const supportedInterfaces = [{ url: `${other.url}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const { url } = await fakeRemote(() => undefined, card1({ supportedInterfaces }));
    const headers = { authorization: "Bearer canary" };

    await expect(new A2ARemoteAgent({ url, headers }).run("Go.")).rejects.toThrow(
      "at another origin, which must not get headers",
    );
    expect(other.asked).toEqual([]);
    const trusting = new A2ARemoteAgent({ url, headers, trustedOrigins: [other.url] });
    expect((await trusting.run("Go.")).text).toBe("Rain.");
    expect(other.asked.map((each) => each.headers.authorization)).toEqual(["Bearer canary"]);
  });

  it("is called at a public address as at its own, with the body and without headers of the host [remote.other-origins]", async () => {
    const other = await fakeRemote((asked, response) =>
      sendResult(asked, response, { task: task1("COMPLETED", "Rain.") }),
    );
    leadTo(publicHost);
    const named = other.url.replace("127.0.0.1", publicHost);
    const supportedInterfaces = [{ url: `${named}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const { url } = await fakeRemote(() => undefined, card1({ supportedInterfaces }));

    expect((await new A2ARemoteAgent({ url }).run("Go.")).text).toBe("Rain.");
    expect(other.asked.map(({ verb, path, headers }) => [verb, path, headers["content-type"]])).toEqual([
      ["POST", "/a2a", "application/json"],
    ]);
    expect(other.methods).toEqual(["SendMessage"]);
  });

  it("is passed over for one at the origin of url [remote.other-origins]", async () => {
    const supportedInterfaces = ["http://10.0.0.1/a2a", "/a2a"].map((at) => ({
      url: at,
      protocolBinding: "JSONRPC",
      protocolVersion: "1.0",
    }));
    const { url } = await fakeRemote(
      (asked, response) => sendResult(asked, response, { task: task1("COMPLETED", "Rain.") }),
      card1({ supportedInterfaces }),
    );

    expect((await new A2ARemoteAgent({ url, headers: { "x-key": "k" } }).run("Go.")).text).toBe("Rain.");
  });
});

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])(
    "is not followed, neither for the card nor for a call (%i) [remote.redirects]",
    async (status) => {
      const trap = await fakeRemote((_asked, response) => response.end("{}"));
      const { url } = await fakeRemote((_asked, response) =>
        response.writeHead(status, { location: `${trap.url}/a2a` }).end(),
      );
      const { url: moved } = await fakeRemote(
        (_asked, response) => response.writeHead(status, { location: trap.url }).end(),
        null,
      );
      const headers = { authorization: "Bearer canary" };

      for (const each of [url, moved]) {
        const running = new A2ARemoteAgent({ url: each, headers }).run("Go.");
        await expect(running).rejects.toThrow(`a redirect (HTTP status ${status}), which is not followed`);
      }
      expect(trap.asked).toEqual([]);
    },
  );
});

describe("the reply of an endpoint at a public address of another origin", () => {
  /** Asks a server at a public address, whose replies are these, for `path`. */
  async function ask(path: string, { timeoutMs = 60_000, ownMs }: { timeoutMs?: number; ownMs?: number } = {}) {
    const far = await fakeRemote(({ path: asked, verb }, response) => {
      if (asked === "/silent") return;
      if (asked === "/broken") response.destroy();
      else if (asked === "/long") response.end("é".repeat(513));
      else if (asked === "/most") response.end("é".repeat(512));
      else response.writeHead(verb === "POST" ? 307 : 418, { location: "/most", "x-own": "1" }).end("tea é");
    });
    leadTo(publicHost);
    const http = new RemoteHttp(readRemoteAgentOptions({ url: "https://far.example", maxReplyBytes: 1024, timeoutMs }));
    const url = new URL(far.url.replace("127.0.0.1", publicHost) + path);
    const { signal } = new AbortController();
    const headers = { accept: "a/b" };
    const posted = path === "/moved" ? ({ method: "POST", body: "{}" } as const) : ({ method: "GET" } as const);
    const reply = await http.whole({ url, headers, users: {}, signal, ...posted }, ownMs);
    return { ...reply, headers: reply.headers.get("x-own"), accept: far.asked[0]?.headers.accept };
  }

  it.each([
    ["/tea", { status: 418, headers: "1", text: "tea é" }],
    ["/most", { status: 200, headers: null, text: "é".repeat(512) }],
  ])("is as it came, up to maxReplyBytes: %s", async (path, reply) => {
    expect(await ask(path)).toEqual({ ...reply, accept: "a/b" });
  });

  it.each([
    ["/long", "form", "sent more than 1024 bytes. Raise maxReplyBytes to take more", "too_large"],
    [
      "/moved",
      "redirect",
      "answered with a redirect, which is not followed",
      expect.stringMatching(/^(too_many_redirects|redirected_body)$/),
    ],
    ["/broken", "unreachable", "cannot be reached", "unreachable"],
  ])(
    "the reply of an endpoint at a public address of another origin at %s is a failure of the kind %s",
    async (path, kind, ...[happened, reason]) => {
      await expect(ask(path)).rejects.toMatchObject({ kind, happened, cause: { fields: { reason } } });
    },
  );

  it.each([{ timeoutMs: 5 }, { ownMs: 5 }])("is waited for no longer than for a trusted one: %j", async (time) => {
    const cause = { message: "The request took longer than 5 ms. Raise timeoutMs to wait longer." };
    await expect(ask("/silent", time)).rejects.toMatchObject({
      kind: "timeout",
      happened: "did not answer in time",
      cause,
    });
  });
});
