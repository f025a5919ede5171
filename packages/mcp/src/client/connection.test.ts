import { getEventListeners } from "node:events";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { broken, connect, never, ok, once, opened, refusal, status } from "../../test/connect.ts";
import { loadLibrary } from "./library.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);
afterEach(() => void vi.useRealTimers());

describe("a connection", () => {
  it("opens when it is first used, and once for all that use it", async () => {
    const { connection, sent, ask } = connect();
    expect(sent).toEqual([]);
    await Promise.all([connection.open(), ask(), connection.open()]);
    expect(sent).toEqual([...opened, "tools/list"]);
  });

  it("lists its tools once, and again when they are forgotten or it is a new one", async () => {
    const { connection, sent, answers, ask } = connect();
    const [first] = [await connection.tools(), await connection.tools()];
    expect(connection.knownTools).toStrictEqual(first);
    expect(connection.listedTool("echo")).toMatchObject({ name: "echo" });
    expect(sent).toEqual([...opened, "tools/list"]);
    connection.forgetTools();
    await connection.tools();
    expect(sent.splice(0)).toEqual([...opened, "tools/list", "tools/list"]);
    once(answers, "tools/list", broken);
    await expect(ask()).rejects.toMatchObject({ code: "unavailable" });
    expect(connection.knownTools).toHaveLength(1);
    await connection.tools();
    expect(sent).toEqual(["tools/list", ...opened, "tools/list"]);
  });

  it("hides its secrets", () => {
    expect(connect().connection.mask("a secret-word")).toBe("a [redacted]");
  });

  it("leaves a caller that gives up alone, and nothing at its signal", async () => {
    const { answers, ask, sent } = connect({ connectTimeoutMs: 5 });
    answers["initialize"] = never;
    const abort = new AbortController();
    const asking = ask({ signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(asking).rejects.toMatchObject({ code: "cancelled" });
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    expect(sent.length).toBeLessThanOrEqual(1);
  });
});

describe("a request", () => {
  it("opens a new connection after the one before has closed", async () => {
    const { connection, sent, ask } = connect();
    const what = "the end of it";
    await connection.exchange({ what, timeoutMs: 1000, send: async (client) => await client.close() });
    await ask();
    expect(sent).toEqual([...opened, ...opened, "tools/list"]);
  });

  it("keeps the connection that was opened meanwhile when the end of the one before is told again", async () => {
    const { connection, sent } = connect();
    const closed: (() => void)[] = [];
    /** Collects the listener for the end of the open connection. After ten calls it does nothing, so that no end causes the next endlessly. */
    const watchEnd = async () =>
      await connection.exchange({
        what: "the end of it",
        timeoutMs: 1000,
        send: async (client) => {
          const { onclose } = client;
          let times = 0;
          const onEnd = () => void ((times += 1) <= 10 && onclose?.());
          Object.assign(client, { onclose: onEnd });
          closed.push(onEnd);
          await Promise.resolve();
        },
      });
    await watchEnd();
    closed[0]?.();
    await watchEnd();
    closed[0]?.();
    await watchEnd();

    expect(sent.filter((method) => method === "initialize")).toHaveLength(2);
  });

  it("a request that fails late ends no connection that was opened meanwhile", async () => {
    const { answers, sent, ask } = connect();
    let fail = (): void => {};
    once(answers, "tools/list", async () => {
      await new Promise<void>((resolve) => (fail = resolve));
      return broken();
    });
    const late = ask().catch((error: unknown) => error);
    await expect.poll(() => sent, { interval: 1 }).toContain("tools/list");
    once(answers, "tools/list", broken);
    await ask({ isRepeatable: true });
    fail();
    expect(await late).toMatchObject({ code: "unavailable" });
    await ask();
    expect(sent.filter((method) => method === "initialize")).toHaveLength(2);
  });

  it("a request that is refused is an error, and the connection stays", async () => {
    const { answers, sent, ask } = connect();
    once(answers, "tools/list", refusal);
    await expect(ask({ isRepeatable: true })).rejects.toMatchObject({
      code: "invalid_request",
      message: 'The MCP server "box" refused a question: No.',
    });
    await ask();
    expect(sent).toEqual([...opened, "tools/list", "tools/list"]);
  });

  it.each([
    ["repeated in a new connection where that does no harm", true, [...opened, "tools/list", ...opened, "tools/list"]],
    ["an error otherwise, and the next one opens a new connection", false, [...opened, "tools/list"]],
  ])("a request whose connection is lost is %s", async (_, isRepeatable, requests) => {
    const { answers, sent, ask } = connect();
    once(answers, "tools/list", broken);
    const failure = await ask({ isRepeatable }).catch((error: unknown) => error);
    expect(sent.splice(0)).toEqual(requests);
    expect(failure).toMatchObject(isRepeatable ? { tools: [] } : { code: "unavailable" });
    await ask();
    expect(sent).toEqual(isRepeatable ? ["tools/list"] : [...opened, "tools/list"]);
  });

  it("is repeated once, and its second failure is told", async () => {
    const { answers, sent, ask } = connect();
    answers["tools/list"] = broken;
    await expect(ask({ isRepeatable: true })).rejects.toMatchObject({ code: "unavailable" });
    expect(sent).toEqual([...opened, "tools/list", ...opened, "tools/list"]);
  });

  it.each([400, 404])(
    "a request whose session is lost (%i) is repeated in a new one, whatever it does",
    async (code) => {
      const { answers, sent, ask } = connect();
      await ask();
      once(answers, "tools/list", () => status(code));
      once(answers, "ping", () => status(code));
      await ask();
      expect(sent.slice(2)).toEqual(["tools/list", "ping", ...opened, "tools/list"]);
    },
  );

  it("a request that a server answers with a status while its session lives is an error", async () => {
    const { answers, sent, ask } = connect();
    for (const answer of [undefined, refusal]) {
      once(answers, "tools/list", () => status(404));
      if (answer !== undefined) once(answers, "ping", answer);
      await expect(ask({ isRepeatable: true })).rejects.toMatchObject({ code: "unavailable", fields: { status: 404 } });
    }
    expect(sent).toEqual([...opened, "tools/list", "ping", "tools/list", "ping"]);
  });

  it.each([
    ["stays where the server still answers", undefined, ["ping", "tools/list"]],
    ["is a new one where the server is silent", broken, ["ping", ...opened, "tools/list"]],
  ])("a request that fails with status 500 makes the next one look: the connection %s", async (_, answer, requests) => {
    const { answers, sent, ask } = connect();
    once(answers, "tools/list", () => status(500));
    await expect(ask({ isRepeatable: true })).rejects.toMatchObject({ fields: { status: 500 } });
    expect(sent.splice(0)).toEqual([...opened, "tools/list"]);
    if (answer !== undefined) once(answers, "ping", answer);
    await ask();
    await ask();
    expect(sent).toEqual([...requests, "tools/list"]);
  });

  it("ends at its time limit, with an error that says so, and the next one looks", async () => {
    const { answers, sent, ask } = connect();
    await ask();
    once(answers, "tools/list", never);
    await expect(ask({ timeoutMs: 5, isRepeatable: true })).rejects.toMatchObject({
      code: "timeout",
      message: 'The MCP server "box" did not answer a question within 5 ms.',
    });
    await ask();
    expect(sent.slice(2)).toEqual(["tools/list", "ping", "tools/list"]);
  });

  it("a request that its caller gives up is cancelled with the caller's reason, and the connection stays", async () => {
    const { answers, sent, ask } = connect();
    await ask();
    const abort = new AbortController();
    const reason = new Error("enough");
    once(answers, "tools/list", () => {
      abort.abort(reason);
      return never();
    });
    const failure = await ask({ signal: abort.signal, isRepeatable: true }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "cancelled", cause: reason });
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
    await ask();
    expect(sent.slice(2)).toEqual(["tools/list", "tools/list"]);
  });
});

describe("a caller that has given up", () => {
  const signal = AbortSignal.abort(new Error("enough"));

  it("sends nothing over an open connection, which stays", async () => {
    const { connection, ask, sent } = connect();
    await connection.open();
    for (const use of [ask, async () => await connection.tools(signal), async () => await connection.open(signal)]) {
      await expect(use({ signal })).rejects.toMatchObject({ code: "cancelled" });
    }
    expect(sent).toEqual(opened);
    await ask();
    expect(sent).toEqual([...opened, "tools/list"]);
  });

  it("leaves the list of tools to those that still wait for it", async () => {
    const { connection, answers, sent } = connect();
    await connection.open();
    let give = (): void => {};
    answers["tools/list"] = async (message) => {
      await new Promise<void>((resolve) => (give = resolve));
      return ok(message, { tools: [{ name: "echo", inputSchema: { type: "object" } }] });
    };
    const abort = new AbortController();
    const [given, waiting] = [connection.tools(abort.signal), connection.tools()];
    await expect.poll(() => sent, { interval: 1 }).toContain("tools/list");
    abort.abort();
    await expect(given).rejects.toMatchObject({ code: "cancelled" });
    give();
    expect(await waiting).toMatchObject([{ name: "box__echo" }]);
    expect(sent).toEqual([...opened, "tools/list"]);
  });
});

describe("a server of the revision without sessions", () => {
  const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const discovered = { ...complete, supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
  const listed = { ...complete, tools: [] };

  it("is looked at by server/discover, and begins with initialize in its session alone", async () => {
    const { connection, answers, ask, sent } = connect({ protocol: undefined });
    answers["server/discover"] = (message) => ok(message, discovered);
    let isBroken = false;
    answers["tools/list"] = (message) => (isBroken ? status(500) : ok(message, listed));
    await ask();
    expect(sent.splice(0)).toEqual(["server/discover", "tools/list"]);
    isBroken = true;
    await expect(ask()).rejects.toMatchObject({ fields: { status: 500 } });
    isBroken = false;
    await ask();
    expect(sent.splice(0)).toEqual(["tools/list", "server/discover", "tools/list"]);
    await connection.session.open();
    expect(sent).toEqual(opened);
  });
});
