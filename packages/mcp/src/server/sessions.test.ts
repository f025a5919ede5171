import type * as Library from "@modelcontextprotocol/server";
import type { RunOpts } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ServerPurpose } from "./tasks/server-parts.ts";
import { Sessions } from "./sessions.ts";

type TransportOptions = { sessionIdGenerator: () => string; onsessionclosed: () => void };
type Asked = { isOpen?: boolean; body?: unknown; opts?: RunOpts; address?: string };

const initialize = { method: "initialize" };

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** Sessions of fake servers: what they were made for, and which of them are closed. */
function startSessions({ maxSessions = 100, sessionIdleMs = 1000, opens = true } = {}) {
  const ids: string[] = [];
  const closed: number[] = [];
  const purposes: ServerPurpose[] = [];
  const given: unknown[] = [];
  const transports: TransportOptions[] = [];
  class Transport {
    sessionId?: string;
    readonly #options: TransportOptions;
    constructor(options: TransportOptions) {
      this.#options = options;
      transports.push(options);
    }
    async handleRequest(request: Request, options: { parsedBody?: unknown }): Promise<Response> {
      given.push([request, options]);
      if (options.parsedBody === initialize && opens) ids.push((this.sessionId = this.#options.sessionIdGenerator()));
      return await Promise.resolve(new Response(this.sessionId ?? "none"));
    }
  }
  let fails = false;
  const sessions = new Sessions(
    { WebStandardStreamableHTTPServerTransport: Transport } as unknown as typeof Library,
    async (purpose) => {
      const number = purposes.push(purpose) - 1;
      const connect = async () => await (fails ? Promise.reject(new Error("No stream.")) : Promise.resolve());
      const close = async () => void (await Promise.resolve(closed.push(number)));
      return await Promise.resolve({ product: { connect, close, number } } as never);
    },
    { maxSessions, sessionIdleMs },
  );
  const answer = async (session: string | undefined, { isOpen = false, body, opts = {}, address }: Asked = {}) => {
    const answered = Promise.withResolvers<void>();
    const named = { ...(session !== undefined && { session }), ...(address !== undefined && { address }) };
    const caller = { opts, secrets: ["key"], answered: answered.promise, ...named };
    const options = body === undefined ? {} : { parsedBody: body };
    const reply = await sessions.answer({ request: new Request("http://localhost/"), options, caller });
    if (!isOpen) answered.resolve();
    return { reply, status: reply?.status, finish: answered.resolve };
  };
  const open = async (opts: RunOpts = {}, address?: string) => {
    await answer(undefined, { body: initialize, opts, ...(address !== undefined && { address }) });
    return ids.at(-1) ?? "";
  };
  const failNext = () => (fails = true);
  return { sessions, answer, open, closed, purposes, given, transports, failNext };
}

describe("a request of an earlier revision", () => {
  it("opens a session by initialize alone, for its user and without its keys", async () => {
    const { answer, open, purposes, sessions } = startSessions();
    for (const body of [undefined, { method: "ping" }, [initialize], null]) {
      expect((await answer(undefined, { body })).reply).toBeUndefined();
    }
    const opts = { userId: "ada", tenantId: "t", apiKey: "key", apiKeys: {} };
    const ids = [await open(opts), await open({ apiKey: "key" }), await open({ userId: "ada" })];
    expect(new Set(ids).size).toBe(3);
    const purpose = { era: "legacy", isKept: true };
    expect(purposes).toStrictEqual([
      { ...purpose, caller: { opts: { userId: "ada", tenantId: "t" }, secrets: [] } },
      { ...purpose, caller: { opts: {}, secrets: [] } },
      { ...purpose, caller: { opts: { userId: "ada" }, secrets: [] } },
    ]);
    expect(sessions.servers.map(({ product }) => Reflect.get(product, "number") as number)).toEqual([0, 1, 2]);
  });

  it("is handed on to its own session, and is refused for another's or none", async () => {
    const { answer, open, given } = startSessions();
    const id = await open({ userId: "ada" });
    const body = { method: "ping" };
    given.length = 0;
    expect(await (await answer(id, { body, opts: { userId: "ada" } })).reply?.text()).toBe(id);
    expect(given).toStrictEqual([[expect.any(Request), { parsedBody: body }]]);
    for (const [session, opts] of [
      [id, {}],
      [id, { userId: "bob" }],
      [id, { userId: "ada", tenantId: "t" }],
      ["another", { userId: "ada" }],
      ["", { userId: "ada" }],
    ] as const) {
      const { reply } = await answer(session, { body: initialize, opts });
      expect([reply?.status, await reply?.json()]).toEqual([
        404,
        {
          jsonrpc: "2.0",
          error: { code: -32_001, message: "Session not found. Send initialize again to open another." },
          id: null,
        },
      ]);
    }
    expect(given).toHaveLength(1);
  });

  it("a request of an earlier revision that opens nothing, or whose server cannot be connected, leaves no server", async () => {
    const { answer, closed, sessions } = startSessions({ opens: false });
    expect((await answer(undefined, { body: initialize })).status).toBe(200);
    expect([closed, sessions.servers]).toEqual([[0], []]);
    const broken = startSessions();
    broken.failNext();
    await expect(broken.open()).rejects.toThrow("No stream.");
    expect([broken.closed, broken.sessions.servers]).toEqual([[0], []]);
  });
});

describe("a session that is not used", () => {
  const last = (count: number) => Array.from({ length: count }, (_, number) => number);

  it("ends after sessionIdleMs, counted from its last answer, also a second time", async () => {
    const { answer, open, closed } = startSessions();
    for (const number of [0, 1]) {
      const id = await open();
      vi.advanceTimersByTime(999);
      expect((await answer(id)).status).toBe(200);
      await Promise.resolve();
      vi.advanceTimersByTime(999);
      expect(closed).toEqual(last(number));
      vi.advanceTimersByTime(1002);
      expect(closed).toEqual(last(number + 1));
      expect((await answer(id)).status).toBe(404);
    }
  });

  it("does not end while a request is open, and has its time after that", async () => {
    const { answer, open, closed } = startSessions();
    const id = await open();
    const { finish } = await answer(id, { isOpen: true });
    vi.advanceTimersByTime(5000);
    expect(closed).toEqual([]);
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(999);
    expect(closed).toEqual([]);
    vi.advanceTimersByTime(1001);
    expect(closed).toEqual([0]);
  });

  it("is looked for each minute at least", async () => {
    const { open, closed } = startSessions({ sessionIdleMs: 90_000 });
    await open();
    vi.advanceTimersByTime(119_999);
    expect(closed).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(closed).toEqual([0]);
  });
});

describe("a session that makes room", () => {
  it("is the one that was used longest ago, without an open request where there is one", async () => {
    const { answer, open, closed } = startSessions({ maxSessions: 2 });
    const [one] = [await open(), await open()];
    await answer(one);
    await open();
    expect(closed).toEqual([1]);
    await answer(one, { isOpen: true });
    await open();
    await open();
    expect(closed).toEqual([1, 2, 3]);
    expect((await answer(one)).status).toBe(200);
  });

  it("is the one that was asked longest ago where all have open requests", async () => {
    const { answer, open, closed } = startSessions({ maxSessions: 2 });
    const [one, two] = [await open(), await open()];
    await answer(two, { isOpen: true });
    await answer(one, { isOpen: true });
    await open();
    expect(closed).toEqual([1]);
  });

  it("is none where the client has ended one itself", async () => {
    const { open, closed, transports, sessions } = startSessions({ maxSessions: 2 });
    await open();
    await open();
    transports[0]?.onsessionclosed();
    expect(sessions.servers).toHaveLength(1);
    await open();
    expect(closed).toEqual([]);
  });
});

describe("the share of one caller", () => {
  it.each<[string, RunOpts, string, RunOpts, string]>([
    ["an address without a user", {}, "10.0.0.1", {}, "10.0.0.2"],
    ["a user", { userId: "ada" }, "10.0.0.1", { userId: "bob" }, "10.0.0.1"],
    ["a user of a tenant", { userId: "ada", tenantId: "é" }, "10.0.0.1", { userId: "ada", tenantId: "e" }, "10.0.0.1"],
  ])("is a number of sessions: one more of %s ends its own oldest session, and no other", async (...callers) => {
    const [, opts, address, otherOpts, otherAddress] = callers;
    const { open, closed } = startSessions();
    await open(otherOpts, otherAddress);
    for (let count = 0; count < 20; count++) await open(opts, address);
    expect(closed).toEqual([]);
    await open(opts, address);
    expect(closed).toEqual([1]);
  });
});

describe("sessions that are closed", () => {
  it("end all, and those that open meanwhile", async () => {
    const { open, sessions, closed } = startSessions();
    await open({ userId: "ada" });
    await open();
    await sessions.close();
    expect([closed, sessions.servers]).toEqual([[0, 1], []]);
    await open();
    expect([closed, sessions.servers]).toEqual([[0, 1, 2], []]);
  });
});
