import { TroupeError } from "@troupe/core";
import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { callContext } from "../../test/start.ts";
import { callServerTool } from "./call-server-tool.ts";
import type { Connection } from "./connection.ts";
import type { Exchange } from "./exchange.ts";
import type { ListedTool } from "./list-tools.ts";
import { readMcpOptions } from "./mcp-options.ts";

const listed: ListedTool = {
  name: "greet",
  description: "",
  inputSchema: { type: "object" },
  isReadOnly: false,
  isIdempotent: false,
};
const done = { content: [{ type: "text", text: "Hello." }] };
const refused = { isError: true, content: [{ type: "text", text: "Server-Initiated requests are unavailable." }] };
const refusal = new TroupeError("invalid_request", "No server-initiated requests.");
const mismatch = new TroupeError("invalid_request", "Headers.", { fields: { rpcCode: -32_020 } });
const failure = new TroupeError("unavailable", "It is away.");

type Outcome = object | TroupeError;

/** A connection whose exchanges have these results, one after another. */
class FakeConnection {
  readonly toolsInSession = new Set<string>();
  readonly calls: { what: string; timeoutMs: number; signal: unknown; isRepeatable: unknown; sent: unknown[] }[] = [];
  readonly done: string[] = [];
  readonly outcomes: Outcome[];
  relisted: ListedTool | undefined = listed;
  session = this as FakeConnection;
  open = async (signal?: AbortSignal): Promise<void> => void this.done.push(`open ${signal?.aborted}`);

  constructor(...outcomes: Outcome[]) {
    this.outcomes = outcomes;
  }

  async exchange<Result>({ what, timeoutMs, signal, isRepeatable, send }: Exchange<Result>): Promise<Result> {
    const outcome = this.outcomes.shift() ?? done;
    const callTool = async (...sent: unknown[]) => {
      this.calls.push({ what, timeoutMs, signal, isRepeatable, sent });
      if (outcome instanceof TroupeError) throw outcome;
      return await Promise.resolve(outcome);
    };
    return await send({ callTool } as unknown as Client, { signal: new AbortController().signal, timeout: 7 });
  }

  forgetTools(): void {
    this.done.push("forget");
  }

  async tools(signal?: AbortSignal): Promise<unknown> {
    return await Promise.resolve(this.done.push(`list ${signal?.aborted}`));
  }

  listedTool(name: string): ListedTool | undefined {
    return name === listed.name ? this.relisted : undefined;
  }
}

const onElicitation = () => ({ action: "decline" }) as const;

/** Calls the tool greet by a connection, and in its session. */
function start(outcomes: Outcome[], inSession: Outcome[] = [], options: object = {}) {
  const connection = new FakeConnection(...outcomes);
  connection.session = new FakeConnection(...inSession);
  const settings = readMcpOptions({
    name: "box",
    transport: "http",
    url: "https://a.example",
    onElicitation,
    ...options,
  });
  const checkOutput = vi.fn<(result: unknown) => void>();
  const onProgress = vi.fn<() => void>();
  const context = callContext();
  const args = { name: "Ada" };
  const call = { tool: listed, args, context, checkOutput, onProgress };
  const run = async () => await callServerTool(connection as unknown as Connection, settings, call);
  return { connection, session: connection.session, run, checkOutput, onProgress, context, settings };
}

describe("a call of a tool", () => {
  it("is sent with its arguments, time limit, signal and definition, and its result is checked", async () => {
    const raw = { ...done, structuredContent: { a: 1 } };
    const { connection, run, checkOutput, onProgress, context, settings } = start([{ content: [], "troupe/raw": raw }]);
    expect(await run()).toBe(raw);
    expect(checkOutput.mock.calls).toEqual([[raw]]);
    const { signal } = context;
    const asked = {
      signal: expect.any(AbortSignal) as unknown,
      timeout: 7,
      onprogress: onProgress,
      toolDefinition: { name: "greet", inputSchema: { type: "object" } },
    };
    expect(connection.calls).toStrictEqual([
      {
        what: "a call of the tool greet",
        timeoutMs: settings.timeoutMs,
        signal,
        isRepeatable: undefined,
        sent: [{ name: "greet", arguments: { name: "Ada" } }, asked],
      },
    ]);
    expect(connection.calls[0]?.signal).toBe(signal);
  });

  it("lets other work go first before its result is checked", async () => {
    const { run, checkOutput } = start([done]);
    const seen: string[] = [];
    checkOutput.mockImplementation(() => void seen.push("check"));
    setImmediate(() => seen.push("other"));
    await run();
    expect(seen).toEqual(["other", "check"]);
  });

  it("fails with the failure of its check", async () => {
    const { run, checkOutput } = start([done]);
    checkOutput.mockImplementation(() => {
      throw failure;
    });
    await expect(run()).rejects.toBe(failure);
  });
});

describe("a tool that could not ask the host", () => {
  it.each<[string, Outcome]>([
    ["in its result", refused],
    ["in an error", refusal],
  ])("and says so %s is called in a session, and at once from then on", async (_, outcome) => {
    const { connection, session, run, context } = start([outcome], [done, failure]);
    expect(await run()).toBe(done);
    expect(session.done).toEqual([`open ${context.signal.aborted}`]);
    await expect(run()).rejects.toBe(failure);
    expect([connection.calls.length, session.calls.length]).toEqual([1, 2]);
    expect([...connection.toolsInSession]).toEqual(["greet"]);
  });

  it.each<[string, Outcome]>([
    ["result", refused],
    ["error", refusal],
  ])("has its own %s where no session can be opened, and is tried again by the next call", async (_, outcome) => {
    const { connection, session, run } = start([outcome, done]);
    session.open = async () => await Promise.reject(failure);
    const ending = await run().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    expect(ending).toStrictEqual(outcome instanceof TroupeError ? { error: outcome } : { result: outcome });
    expect([connection.toolsInSession.size, session.calls.length]).toEqual([0, 0]);
    expect(await run()).toBe(done);
  });

  it.each<[string, object, Outcome]>([
    ["without handlers", { onElicitation: undefined }, refused],
    ["of a host that wants one revision", { protocol: "2026-07-28" }, refused],
    ["of a host that wants the earlier ones", { protocol: "legacy" }, refusal],
    ["over standard input and output", { transport: "stdio", url: undefined, command: "prog" }, refused],
    ["that says something else", {}, { ...refused, content: [{ type: "text", text: "No." }] }],
    [
      "whose first words are about something else",
      {},
      { isError: true, content: [{ text: "No." }, ...refused.content] },
    ],
    [
      "beyond the first 1,000 characters",
      {},
      { isError: true, content: [{ text: `${"x".repeat(1000)}server-initiated requests` }] },
    ],
    ["that did not fail", {}, { ...refused, isError: false }],
    ["without content", {}, { isError: true, content: "server-initiated requests" }],
    ["with empty content", {}, { isError: true, content: [] }],
    ["with content that is no text", {}, { isError: true, content: [{ text: 7 }, null] }],
    ["with another error", {}, failure],
  ])("is not called again %s", async (...[, options, outcome]) => {
    const { connection, session, run } = start([outcome], [], options);
    expect(await run().catch((error: unknown) => error)).toBe(outcome);
    expect([connection.calls.length, session.calls.length, session.done]).toEqual([1, 0, []]);
  });

  it("is called in a session where the host has a model alone", async () => {
    const { session, run } = start([refused], [done], {
      onElicitation: undefined,
      onSampling: () => ({ text: "", model: "" }),
    });
    expect(await run()).toBe(done);
    expect(session.calls).toHaveLength(1);
  });
});

describe("a call whose headers the server now wants otherwise", () => {
  it("is sent once more, by the definition of a new list", async () => {
    const { connection, run } = start([mismatch]);
    connection.relisted = { ...listed, inputSchema: { type: "object", title: "New" } };
    expect(await run()).toBe(done);
    expect(connection.done).toEqual(["forget", "list false"]);
    expect(connection.calls.map(({ sent }) => sent[1])).toMatchObject([
      { toolDefinition: { inputSchema: listed.inputSchema } },
      { toolDefinition: { inputSchema: { title: "New" } } },
    ]);
  });

  it("fails where the tool is listed no more, and where it is refused again", async () => {
    const { connection, run } = start([mismatch]);
    connection.relisted = undefined;
    await expect(run()).rejects.toBe(mismatch);
    expect(connection.calls).toHaveLength(1);
    const again = start([mismatch, mismatch]);
    await expect(again.run()).rejects.toBe(mismatch);
    expect(again.connection.calls).toHaveLength(2);
  });

  it("is one by the code of its error alone", async () => {
    const { connection, run } = start([
      new TroupeError("invalid_request", "Headers.", { fields: { rpcCode: -32_021 } }),
    ]);
    await expect(run()).rejects.toMatchObject({ fields: { rpcCode: -32_021 } });
    expect(connection.done).toEqual([]);
  });
});
