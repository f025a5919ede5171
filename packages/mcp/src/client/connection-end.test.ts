import { createLogger } from "@troupe/core";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  askOf,
  broken,
  connect,
  initialized,
  never,
  ok,
  once,
  opened,
  startFetch,
  status,
} from "../../test/connect.ts";
import type { Answer } from "../../test/connect.ts";

import { loadLibrary } from "./library.ts";
import { serverClosed } from "./mcp-errors.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);
afterEach(() => void vi.useRealTimers());

describe("a server that does not answer while its connection opens", () => {
  it("holds up the end of the connection for three seconds, and is told to stop", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { connection, answers } = connect();
    const signals: AbortSignal[] = [];
    answers["initialize"] = async (_message, { signal }) => {
      if (signal) signals.push(signal);
      return await new Promise<never>((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      });
    };
    const outcomes: string[] = [];
    const note = (what: string) => () => void outcomes.push(what);
    const use = connection.open().catch((error: Error) => note(error.message)());
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    const closing = connection.close().then(note("closed"));
    await vi.advanceTimersByTimeAsync(2999);
    expect(outcomes).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([use, closing]);

    expect(outcomes).toEqual(['The MCP server "box" is closed. Call connect() to open it again.', "closed"]);
    expect(signals[0]?.aborted).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a server that is down", () => {
  const wait = async (ms: number) => await vi.advanceTimersByTimeAsync(ms);

  it("is tried again after a time that doubles up to 30 seconds, and anew after it was up", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { connection, sent, answers } = connect();
    answers["initialize"] = () => status(503);
    for (const ms of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
      const failure = await connection.open().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "unavailable", fields: { server: "box", status: 503 } });
      await expect(connection.open()).rejects.toMatchObject({
        code: "unavailable",
        message: `The MCP server "box" is down. It is tried again in ${Math.ceil(ms / 1000)} s.`,
        fields: { server: "box", retryAfterMs: ms },
        cause: failure,
      });
      await wait(ms - 1);
      await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 1 } });
      await wait(1);
    }
    expect(sent).toHaveLength(8);
    delete answers["initialize"];
    await connection.open();
    answers["initialize"] = () => status(503);
    once(answers, "tools/list", broken);
    await expect(askOf(connection)()).rejects.toMatchObject({ code: "unavailable" });
    await expect(connection.open()).rejects.toMatchObject({ fields: { status: 503 } });
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 500 } });
  });

  it.each([
    [1000, 4000],
    [20_000, 60_000],
  ])("rests after a try of %i ms for %i ms", async (tookMs, restMs) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { connection, answers } = connect();
    answers["initialize"] = async () => {
      await wait(tookMs);
      return status(503);
    };
    await expect(connection.open()).rejects.toMatchObject({ fields: { status: 503 } });
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: restMs } });
  });

  it("does not open within connectTimeoutMs, with an error that says so, and what opens later changes nothing", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { connection, answers, sent } = connect({ connectTimeoutMs: 5 });
    let answer = (): void => {};
    answers["initialize"] = async (message) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return ok(message, initialized);
    };
    const message = 'The MCP server "box" did not connect within 5 ms.';
    await expect(connection.open()).rejects.toMatchObject({ code: "timeout", message });
    answer();
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 500 } });
    expect(sent.length).toBeLessThanOrEqual(1);
  });

  it("waits no longer for a refusal of credentials, which counts as no failure", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { connection, answers } = connect();
    const failsBy = async (code: number) => {
      answers["initialize"] = () => status(code);
      await expect(connection.open()).rejects.toMatchObject({ fields: { status: code } });
    };
    await failsBy(503);
    await wait(500);
    await failsBy(401);
    await failsBy(503);
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 1000 } });
  });

  it.each([
    ["initialize", "its first answer"],
    ["tools/list", "a later answer"],
  ])("a server that is down because its answer to %s was too large has an error that says so: %s", async (method) => {
    const { ask, answers } = connect({ maxMessageBytes: 1024 });
    answers[method] = (message) => ok(message, { ...initialized, tools: ["x".repeat(1024)] });
    await expect(ask()).rejects.toMatchObject({
      code: "unavailable",
      message: 'The MCP server "box" sent a message of more than 1024 bytes. If you trust it, raise maxMessageBytes.',
      fields: { server: "box" },
    });
  });

  it.each([401, 403])("is tried at once where it wants credentials (%i)", async (code) => {
    const { connection, sent, answers } = connect();
    answers["initialize"] = () => status(code);
    for (let times = 0; times < 2; times++) {
      await expect(connection.open()).rejects.toMatchObject({ code: "unauthorized", fields: { status: code } });
    }
    expect(sent).toEqual([...opened, ...opened]);
  });
});

describe("a connection that is closed", () => {
  const closed = {
    code: "unavailable",
    message: 'The MCP server "box" is closed. Call connect() to open it again.',
    fields: { server: "box" },
  };

  it("ends its session, refuses all uses and closes once", async () => {
    const { connection, sent, ask } = connect();
    await connection.open();
    await Promise.all([connection.close(), connection.close()]);
    expect(sent).toEqual([...opened, "DELETE"]);
    for (const use of [ask, async () => await connection.open(), async () => await connection.tools()]) {
      await expect(use()).rejects.toMatchObject(closed);
    }
    expect(() => connection.session).toThrow(expect.objectContaining(closed));
    expect(sent).toHaveLength(2);
    expect(serverClosed({ name: "box" })).toMatchObject(closed);
  });

  it("ends what is just opening, and has nothing to end where nothing opened", async () => {
    const { connection, sent } = connect();
    await connection.close();
    expect(sent).toEqual([]);
    const other = connect();
    const opening = other.connection.open();
    await other.connection.close();
    await opening;
    expect(other.sent).toEqual([...opened, "DELETE"]);
  });

  it.each<[string, Answer]>([
    ["cannot end its session", broken],
    ["refuses to end its session", () => status(500)],
  ])("closes also where the server %s", async (_, answer) => {
    const { connection, sent, answers } = connect();
    answers["DELETE"] = answer;
    await connection.open();
    await connection.close();
    expect(sent).toEqual([...opened, "DELETE"]);
  });

  it("waits three seconds for the end of its session", async () => {
    const { connection, answers, sent } = connect();
    await connection.open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    answers["DELETE"] = never;
    const isClosed = { now: false };
    const closing = connection.close().then(() => (isClosed.now = true));
    await vi.advanceTimersByTimeAsync(2999);
    expect([isClosed.now, sent]).toEqual([false, [...opened, "DELETE"]]);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closing).toBe(true);
  });

  it("closes its second connection too, which is one and begins with initialize", async () => {
    const { connection, sent } = connect({ logger: createLogger() });
    const { session } = connection;
    expect([session === connection.session, session === connection]).toEqual([true, false]);
    await Promise.all([connection.open(), session.open()]);
    await connection.close();
    expect(sent.toSorted()).toEqual(["DELETE", "DELETE", "initialize", "initialize"]);
    await expect(session.open()).rejects.toMatchObject(closed);
  });
});

describe("an authorization", () => {
  const parameters = new URLSearchParams({ code: "c1" });

  it("an authorization that nobody waits for is refused", async () => {
    await expect(connect().connection.finishAuth(parameters)).rejects.toMatchObject({
      code: "conflict",
      message: 'The MCP server "box" waits for no authorization. Call connect() first.',
    });
  });

  it.each(["initialize", "tools/list"])("is waited for after %s wanted it, until it is complete", async (method) => {
    const { connection, answers, ask } = connect({ authProvider: { token: async () => await Promise.resolve("t") } });
    answers[method] = () => status(401);
    await expect(ask()).rejects.toMatchObject({ code: "unauthorized" });
    for (let times = 0; times < 2; times++) {
      await expect(connection.finishAuth(parameters)).rejects.toMatchObject({
        code: "unauthorized",
        message: 'The MCP server "box" refused the credentials for the authorization. Check headers or authProvider.',
      });
    }
  });

  it("is not waited for after another failure", async () => {
    const { connection, answers, ask } = connect();
    once(answers, "tools/list", () => status(500));
    await expect(ask()).rejects.toMatchObject({ fields: { status: 500 } });
    await expect(connection.finishAuth(parameters)).rejects.toMatchObject({ code: "conflict" });
  });

  it("an authorization that is complete is used at once, also while the server was thought to be down, and waited for no more", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const { fetch, answers, sent } = startFetch();
    let tokens: { access_token: string; token_type: string } | undefined;
    let discovery: object | undefined;
    const back = "http://localhost:2/back";
    const authProvider = {
      redirectUrl: back,
      clientMetadata: { redirect_uris: [back] },
      clientInformation: () => ({ client_id: "c" }),
      tokens: () => tokens,
      saveTokens: (given: NonNullable<typeof tokens>) => void (tokens = given),
      redirectToAuthorization: () => undefined,
      saveCodeVerifier: () => undefined,
      codeVerifier: () => "v",
      saveDiscoveryState: (state: object) => void (discovery = state),
      discoveryState: () => discovery,
    };
    const { connection } = connect({
      authProvider,
      fetch: async (url: string | URL, init: RequestInit = {}) => {
        const { pathname } = new URL(url);
        if (pathname === "/mcp") return await fetch(url, init);
        return pathname === "/token" ? Response.json({ access_token: "t1", token_type: "Bearer" }) : status(404);
      },
    });
    const ask = askOf(connection);
    answers["tools/list"] = (_message, init) =>
      new Headers(init.headers).get("authorization") === "Bearer t1" ? undefined : status(401);
    await expect(ask()).rejects.toMatchObject({ code: "unauthorized" });
    await connection.exchange({ what: "the end of it", timeoutMs: 1000, send: async (client) => await client.close() });
    answers["initialize"] = () => status(503);
    await expect(connection.open()).rejects.toMatchObject({ fields: { status: 503 } });
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 500 } });

    await connection.finishAuth(parameters);
    await expect(connection.finishAuth(parameters)).rejects.toMatchObject({ code: "conflict" });
    await expect(connection.open()).rejects.toMatchObject({ fields: { status: 503 } });
    await expect(connection.open()).rejects.toMatchObject({ fields: { retryAfterMs: 500 } });
    delete answers["initialize"];
    vi.advanceTimersByTime(500);
    sent.length = 0;
    await ask();
    expect(sent).toEqual([...opened, "tools/list"]);
  });
});
