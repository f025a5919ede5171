import { createLogger, TroupeError } from "@troupe/core";
import type { Runnable, RunOpts, RunOutput, StreamChunk } from "@troupe/core";
import { createService } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { noUsage } from "@troupe/core/provider";
import { afterEach, describe, expect, it, vi } from "vitest";
import { callServedTool, isOwnFault, localSource } from "./call-tool.ts";
import type { ToolCall } from "./call-tool.ts";
import type { SendProgress } from "./progress-report.ts";
import type { ServedTool } from "./served-tools.ts";
import { toResult } from "./tool-result.ts";

afterEach(() => void vi.useRealTimers());

const output = { text: "Hi.", toolCalls: [], usage: noUsage } as unknown as RunOutput;
const id = expect.stringMatching(/^[\da-f-]{36}$/) as string;

type Run = (input: unknown, opts: RunOpts) => RunOutput | Promise<RunOutput>;
type Started = { run?: Run; stream?: () => object; options?: ServiceOptions } & Partial<ToolCall>;

const unstreamed = (): never => {
  throw new Error("A call without progress needs no stream.");
};

/** A call of a tool by a fake agent, what the agent was given, and the lines of the log. */
function startCall({ run = () => output, stream = unstreamed, options, ...more }: Started = {}) {
  const given: unknown[] = [];
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    level: "debug",
    write: (line) => {
      const { time: _time, ...entry } = JSON.parse(line) as Record<string, unknown>;
      lines.push(entry);
    },
  });
  const entry = {
    name: "a",
    kind: "agent",
    run: async (input: unknown, opts: RunOpts) => {
      given.push([input, opts]);
      return await Promise.resolve().then(() => run(input, opts));
    },
    stream,
  } as unknown as Runnable;
  const service = createService({ agents: { a: entry }, logger, ...options });
  const target = { kind: "agent", name: "a", entry };
  const tool = { definition: { name: "ask_a" }, target, argument: "message" } as unknown as ServedTool;
  const call: ToolCall = {
    tool,
    args: { message: "tea" },
    caller: { opts: {}, secrets: [] },
    signal: new AbortController().signal,
    sendProgress: undefined,
    service,
    maxMediaBytes: 1000,
    ...more,
  };
  return { given, lines, call: async () => await callServedTool(call), service };
}

describe("a call of a tool", () => {
  it("runs with the caller's options over the host's, a new session and a signal of its own", async () => {
    const source = localSource();
    const request = source.toRequest();
    const runOptions = vi.fn<() => object>(() => ({ metadata: { plan: "gold" } }));
    const { given, call } = startCall({
      caller: {
        source: { ...source, toRequest: () => request },
        opts: { userId: "ada", tenantId: "t", apiKey: "key" },
        secrets: [],
      },
      options: { runOptions },
    });
    const result = await call();
    const opts = {
      metadata: { plan: "gold" },
      userId: "ada",
      tenantId: "t",
      apiKey: "key",
      apiKeys: {},
      sessionId: id,
      isNewSession: true,
      runId: id,
      fromOutside: true,
      telemetry: undefined,
      signal: expect.any(AbortSignal) as AbortSignal,
    };
    expect(given).toStrictEqual([["tea", opts]]);
    expect(runOptions.mock.calls).toStrictEqual([[request]]);
    const [[, { sessionId, runId }]] = given as [[unknown, { sessionId: string; runId: string }]];
    expect(result).toStrictEqual({
      content: [{ type: "text", text: "Hi." }],
      structuredContent: { text: "Hi.", sessionId, runId, usage: noUsage },
    });
    expect(sessionId).not.toBe(runId);
  });

  it("goes on with the session that it names, which is not new", async () => {
    const { given, call } = startCall({ args: { message: "tea", sessionId: "s1" } });
    expect(await call()).toMatchObject({ structuredContent: { sessionId: "s1" } });
    expect(given).toMatchObject([["tea", { sessionId: "s1" }]]);
    expect(given).toMatchObject([["tea", { isNewSession: false }]]);
  });

  it("notes its run and tokens for the log of its request", async () => {
    const record = {};
    const usage = { ...noUsage, totalTokens: 7 };
    const { call } = startCall({ run: () => ({ ...output, usage }), caller: { opts: {}, secrets: [], record } });
    const { structuredContent } = await call();
    const { runId } = structuredContent as { runId: string };
    expect(record).toEqual({ runId, tokens: 7 });
  });

  it("gives the host's functions a request without headers over stdio", async () => {
    const runOptions = vi.fn<NonNullable<ServiceOptions["runOptions"]>>(() => ({}));
    await startCall({ options: { runOptions } }).call();
    const [[request] = []] = runOptions.mock.calls;
    expect(request).toMatchObject({ protocol: "mcp", method: "", path: "", native: undefined, principal: undefined });
    expect([...(request?.headers ?? ["a header"])]).toEqual([]);
  });

  it.each([true, false])("is cancelled with the reason of its signal, before it runs: %s", async (isBefore) => {
    const abort = new AbortController();
    const reason = new TroupeError("cancelled", "Enough.");
    const run: Run = async (_input, { signal }) =>
      await new Promise((_resolve, reject) => {
        signal?.addEventListener("abort", () => reject(new Error("It ends.")));
        abort.abort(reason);
      });
    if (isBefore) abort.abort(reason);
    const { call, given, lines, service } = startCall({ run, signal: abort.signal });
    expect(await call()).toEqual({ content: [{ type: "text", text: "Enough." }], isError: true });
    expect([given.length, lines, service.servedRuns.size]).toEqual([isBefore ? 0 : 1, [], 0]);
  });

  it.each<[unknown, string, string | undefined, string | undefined]>([
    [new TroupeError("not_found", "No session."), "No session.", "warn", "A run for an MCP client failed."],
    [new TroupeError("rate_limited", "Wait."), "Wait.", "warn", "A run for an MCP client failed."],
    [new TroupeError("invalid_request", "No."), "No.", undefined, undefined],
    [new TroupeError("cancelled", "Gone."), "Gone.", undefined, undefined],
    [
      new Error("secret-7"),
      "Something went wrong in this service.",
      "error",
      "A run for an MCP client failed by a fault of the service.",
    ],
  ])(
    "that fails with %s has a result that says so, and a line of the log",
    async (...[error, shown, level, message]) => {
      const { call, lines } = startCall({
        run: () => {
          throw error;
        },
        caller: { opts: {}, secrets: ["secret-7", undefined] },
      });
      const { isError, content, ...rest } = await call();
      expect([isError, content, rest]).toEqual([true, [{ type: "text", text: shown }], {}]);
      expect(JSON.stringify([content, lines])).not.toContain("secret-7");
      expect(lines.map((line) => [line["level"], line["message"], line["tool"], line["runId"]])).toEqual(
        level === undefined ? [] : [[level, message, "ask_a", id]],
      );
    },
  );

  it.each([
    ["internal", true],
    ["crashed", true],
    ["invalid_config", true],
    ["invalid_value", true],
    ["storage_unavailable", true],
    ["storage_corrupt", true],
    ["unavailable", false],
    ["forbidden", false],
    [undefined, false],
  ])("a call of a tool that fails with %s is a fault of the service: %s", (code, isFault) => {
    expect(isOwnFault(code)).toBe(isFault);
  });
});

describe("the result of a run", () => {
  const whole = { ...output, sessionId: "s", runId: "r" };

  it.each<[object, object]>([
    [{ structured: undefined }, {}],
    [{ structured: null }, {}],
    [{ structured: 0 }, { structured: 0 }],
    [{ structured: { a: 1 } }, { structured: { a: 1 } }],
    [{ usage: { ...noUsage, providerMetrics: { secret: 1 } } }, {}],
    [{ text: "" }, { text: "" }],
  ])("of %j has ids and usage, and nothing of the vendor's", (more, shown) => {
    const ended = { output: { ...whole, ...more } as never, runId: "r", sessionId: "s" };
    expect(toResult(ended, 1000).structuredContent).toStrictEqual({
      text: "Hi.",
      sessionId: "s",
      runId: "r",
      usage: noUsage,
      ...shown,
    });
  });
});

describe("the progress of a call", () => {
  /** A call whose run streams by hand. */
  function startStream(send: SendProgress = async () => await Promise.resolve()) {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
    const sent: unknown[] = [];
    const chunks = new TransformStream<StreamChunk, StreamChunk>();
    const writer = chunks.writable.getWriter();
    const stream = () =>
      Object.assign(chunks.readable.values(), { output: Promise.resolve({ ...output, text: "One two." }) });
    const { call } = startCall({
      stream,
      sendProgress: async (progress) => {
        sent.push(progress);
        await send(progress);
      },
    });
    const write = async (chunk: object) => {
      await writer.write(chunk as StreamChunk);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { ending: call(), sent, text: async (text: string) => await write({ type: "text", text }), write, writer };
  }

  it("is the text that is new, four times a second, and its count", async () => {
    const { ending, sent, text, write, writer } = startStream();
    await text("One");
    await text(" two");
    vi.advanceTimersByTime(249);
    await text(" three");
    expect(sent).toEqual([{ progress: 1, message: "One" }]);
    vi.advanceTimersByTime(1);
    await write({ type: "reasoning", text: "Hm." });
    expect(sent).toHaveLength(1);
    await text(".");
    expect(sent.slice(1)).toEqual([{ progress: 2, message: " two three." }]);
    await text("left");
    await writer.close();
    expect(await ending).toMatchObject({ structuredContent: { text: "One two." } });
    expect(sent).toHaveLength(2);
  });

  it("has a sign of life each ten seconds, with what was held back or nothing, until the end", async () => {
    const { ending, sent, text, writer } = startStream();
    // The run has begun then.
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(9999);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(sent.splice(0)).toStrictEqual([{ progress: 1 }]);
    await text("held");
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(10_000);
    expect(sent.splice(0)).toStrictEqual([{ progress: 2, message: "held" }]);
    await writer.close();
    await ending;
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
  });

  it("the progress of a call that cannot be sent ends no run", async () => {
    const { ending, sent, text, writer } = startStream(async () => await Promise.reject(new Error("It is gone.")));
    await text("One");
    await writer.close();
    expect(await ending).not.toHaveProperty("isError");
    expect(sent).toHaveLength(1);
  });
});
