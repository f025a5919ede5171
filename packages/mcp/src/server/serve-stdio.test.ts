import { PassThrough } from "node:stream";
import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { serveAgents } from "../../test/served-agents.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

beforeAll(async () => void (await import("@modelcontextprotocol/server/stdio")));

type Message = { id?: number; method?: string; result?: Record<string, unknown>; error?: { code: number } };

/** Serves agents over standard streams of the test, and returns what a client of 2025-11-25 sends and gets there. */
function startStdio(options: McpServerOptions = {}) {
  const stdin = new PassThrough();
  const own = Object.getOwnPropertyDescriptor(process, "stdin");
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  const [out, err] = [[] as string[], [] as string[]];
  const writeOut = vi.spyOn(process.stdout, "write").mockImplementation((text, _encoding?: unknown, done?: unknown) => {
    out.push(String(text));
    if (typeof done === "function") (done as () => void)();
    return true;
  });
  const writeErr = vi.spyOn(process.stderr, "write").mockImplementation((text) => Boolean(err.push(String(text))));
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => void lines.push(line) });
  const served = serveAgents({ logger, ...options });
  onTestFinished(async () => {
    await served.server.close();
    writeOut.mockRestore();
    writeErr.mockRestore();
    if (own !== undefined) Object.defineProperty(process, "stdin", own);
  });
  const send = (message: object) => void stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const messages = () => out.flatMap((text) => text.trim().split("\n")).map((line) => JSON.parse(line) as Message);
  const reply = async (id: number): Promise<Message> => {
    await expect.poll(() => messages().some((message) => message.id === id), { interval: 1 }).toBe(true);
    return messages().find((message) => message.id === id) ?? {};
  };
  const initialize = async () => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };
    send({ id: 1, method: "initialize", params });
    await reply(1);
    send({ method: "notifications/initialized" });
  };
  return { ...served, stdin, err, lines, send, messages, reply, initialize, writeOut };
}

describe("serveStdio", () => {
  it("answers its client on the standard output alone, and resolves when it has left", async () => {
    const { server, stdin, err, send, messages, reply, initialize } = startStdio();
    const isOver = { now: false };
    const served = server.serveStdio().then(() => (isOver.now = true));
    process.stdout.write("stray");
    await initialize();
    send({ id: 2, method: "tools/call", params: { name: "ask_helper", arguments: { message: "tea" } } });
    expect(await reply(2)).toMatchObject({ result: { content: [{ text: 'You said "tea", turn 1.' }] } });
    process.stdout.write("more");
    expect([isOver.now, err]).toEqual([false, ["stray", "more"]]);
    stdin.end();
    expect(await served).toBe(true);
    process.stdout.write('{"id":99}\n');
    expect(err).toEqual(["stray", "more"]);
    expect(messages().map(({ id }) => id)).toEqual([1, 2, 99]);
  });

  it("takes the user of its client from authenticate, and rejects with its error", async () => {
    const given: object[] = [];
    const model = new ScriptedModel().respond(() => "Hi.");
    const whoami = new Agent({
      name: "whoami",
      model,
      hooks: { beforeRun: ({ userId }) => void given.push({ userId }) },
    });
    const { server, send, reply, initialize } = startStdio({
      agents: { whoami },
      authenticate: (request) => {
        given.push(request);
        return { userId: "ada" };
      },
    });
    void server.serveStdio();
    await initialize();
    send({ id: 2, method: "tools/call", params: { name: "ask_whoami", arguments: { message: "Hi" } } });
    await reply(2);

    expect(given).toMatchObject([{ protocol: "mcp", method: "", native: undefined }, { userId: "ada" }]);
    const refused = startStdio({ authenticate: async () => await Promise.reject(new Error("Nobody.")) });
    await expect(refused.server.serveStdio()).rejects.toThrow("Nobody.");
    process.stdout.write("{}");
    expect(refused.err).toEqual([]);
  });

  it.each([
    ["the service cannot be opened", ["open"]],
    ["the client cannot be authenticated", ["authenticate"]],
    ["neither is possible", ["open", "authenticate"]],
  ])("rejects where %s, and gives the standard output back", async (_, failing) => {
    const authenticate = async () => await Promise.reject(new Error("It cannot be."));
    const { server, stdin, err, writeOut } = startStdio(failing.includes("authenticate") ? { authenticate } : {});
    if (failing.includes("open")) vi.spyOn(server.service, "open").mockRejectedValue(new Error("It cannot be."));
    await expect(server.serveStdio()).rejects.toThrow("It cannot be.");

    expect(Object.getOwnPropertyDescriptor(process.stdout, "write")?.value).toBe(writeOut);
    process.stdout.write("{}");
    expect([writeOut.mock.calls.map(([text]) => text), err]).toEqual([["{}"], []]);
    expect(stdin.listenerCount("data")).toBe(0);
  });

  it("gives the standard output back where the service cannot be opened after its client has begun", async () => {
    const { server, err, initialize, writeOut } = startStdio();
    const opened = Promise.withResolvers<void>();
    vi.spyOn(server.service, "open").mockReturnValue(opened.promise);
    const served = server.serveStdio();
    await initialize();
    opened.reject(new Error("The storage is away."));
    await expect(served).rejects.toThrow("The storage is away.");

    process.stdout.write("{}");
    expect([writeOut.mock.lastCall?.[0], err]).toEqual(["{}", []]);
  });

  it("is called once, also after its client has left", async () => {
    const { server, stdin, writeOut } = startStdio();
    const again = { code: "conflict", message: "serveStdio was called already. Call it once." };
    const served = server.serveStdio();
    const writer = () => Object.getOwnPropertyDescriptor(process.stdout, "write")?.value as unknown;
    const held = writer();
    await expect(server.serveStdio()).rejects.toMatchObject(again);
    expect([held === writeOut, writer() === held]).toEqual([false, true]);
    stdin.end();
    await served;
    await expect(server.serveStdio()).rejects.toMatchObject(again);
  });

  it("ends with its server, whose calls are aborted, and gives the standard output back", async () => {
    const { server, err, send, model, aborted, initialize } = startStdio();
    const served = server.serveStdio();
    await initialize();
    send({ id: 2, method: "tools/call", params: { name: "ask_helper", arguments: { message: "hang" } } });
    await expect.poll(() => model.calls.length, { interval: 1 }).toBe(1);
    await Promise.all([server.close(), served]);
    process.stdout.write('{"id":99}\n');
    expect([aborted(), err]).toEqual([1, []]);
  });

  it.each([1, 3])("writes the results of %d calls that are aborted before it ends", async (count) => {
    const { server, send, model, messages, initialize } = startStdio();
    const served = server.serveStdio();
    await initialize();
    const ids = Array.from({ length: count }, (_, index) => 2 + index);
    for (const id of ids)
      send({ id, method: "tools/call", params: { name: "ask_helper", arguments: { message: "hang" } } });
    await expect.poll(() => model.calls.length, { interval: 1 }).toBe(count);
    await Promise.all([server.close(), served]);

    const results = messages().filter(({ id = 0 }) => id > 1);
    expect(results).toMatchObject(ids.map((id) => ({ id, result: { isError: true } })));
  });

  it("writes the result of a call that is over in the grace period before it ends", async () => {
    const [begun, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const beforeRun = async () => {
      begun.resolve();
      await told.promise;
    };
    const patient = new Agent({ name: "patient", model: new ScriptedModel("At last."), hooks: { beforeRun } });
    const { server, send, messages, initialize } = startStdio({ agents: { patient } });
    const served = server.serveStdio();
    await initialize();
    send({ id: 2, method: "tools/call", params: { name: "ask_patient", arguments: { message: "Wait." } } });
    await begun.promise;
    const closed = server.service.close({ graceMs: 60_000 });
    told.resolve();
    await Promise.all([closed, served]);

    expect(messages().slice(1)).toMatchObject([{ id: 2, result: { content: [{ text: "At last." }] } }]);
  });

  it("ends a server that was closed before its client said anything, whoever waits for it", async () => {
    const { server, messages } = startStdio();
    void server.serveStdio();
    await server.close();
    await server.close();
    expect(messages()).toEqual([]);
  });

  it("tells its client of changes, by the server that extend has got", async () => {
    const { server, messages, send, reply, initialize } = startStdio({
      extend: (mcp) => void mcp.registerTool("own", {}, () => ({ content: [] })),
    });
    void server.serveStdio();
    server.notify.toolsChanged();
    await initialize();
    send({ id: 2, method: "ping" });
    await reply(2);
    server.notify.toolsChanged();
    await expect
      .poll(() => messages().flatMap(({ method }) => method ?? []), { interval: 1 })
      .toEqual(["notifications/tools/list_changed"]);
  });

  it("logs the kind of a message that it refuses, and no word of it", async () => {
    const { server, stdin, lines, send, reply, initialize } = startStdio();
    void server.serveStdio();
    await initialize();
    stdin.write('{"jsonrpc":"2.0","secret":1}\n');
    send({ id: 2, method: "ping" });
    await reply(2);
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(logged).toEqual([
      { time: expect.any(String) as string, level: "debug", message: "A message was refused.", error: "ZodError" },
    ]);
  });

  it("takes messages up to maxBodyBytes, and ends with a longer one", async () => {
    const { server, stdin, lines } = startStdio({ maxBodyBytes: 1000 });
    const served = server.serveStdio();
    stdin.write("x".repeat(1001));
    await expect.poll(() => lines.length, { interval: 1 }).toBeGreaterThan(0);
    stdin.end();
    await served;
    expect(lines.join("")).toContain('"message":"A message was refused."');
  });
});
