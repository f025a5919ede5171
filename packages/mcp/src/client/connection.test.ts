import { getEventListeners } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import { broken, connect, never, once, opened, refusal, status } from "../../test/connect.ts";
import { loadLibrary } from "./library.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);

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

  it("that fails late ends no connection that was opened meanwhile", async () => {
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

  it("that is refused is an error, and the connection stays", async () => {
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
  ])("whose connection is lost is %s", async (_, isRepeatable, requests) => {
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

  it.each([400, 404])("whose session is lost (%i) is repeated in a new one, whatever it does", async (code) => {
    const { answers, sent, ask } = connect();
    await ask();
    once(answers, "tools/list", () => status(code));
    once(answers, "ping", () => status(code));
    await ask();
    expect(sent.slice(2)).toEqual(["tools/list", "ping", ...opened, "tools/list"]);
  });

  it("that a server answers with a status while its session lives is an error", async () => {
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
  ])("that fails with status 500 makes the next one look: the connection %s", async (_, answer, requests) => {
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

  it("that its caller gives up is cancelled with the caller's reason, and the connection stays", async () => {
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
