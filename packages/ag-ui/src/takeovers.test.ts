import { HttpAgent as CurrentAgent } from "ag-ui-client-1";
import { HttpAgent as OldAgent } from "ag-ui-client-0";
import { Agent, createLogger, InMemoryStorage } from "@troupe/core";
import { LocalEngine, RunService } from "@troupe/core/runs";
import type { ModelChunk } from "@troupe/core/provider";
import type { RunEngine } from "@troupe/core/runs";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { agUi } from "./index.ts";
import { ask, revisions } from "../test/serve.ts";

const patience = { timeout: 20_000, interval: 5 };
const earlier = { id: "u0", role: "user", content: "Früher." } as const;
const asked = { id: "u1", role: "user", content: "Hello?" } as const;
const whole = "whole, second";

/** Makes a model that begins its answer and hangs. */
function hangingBehind(...begun: readonly ModelChunk[]): ScriptedModel {
  const model = new ScriptedModel();
  model.stream = async function* stream(_messages, options) {
    yield* begun;
    await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    options?.signal?.throwIfAborted();
  };
  return model;
}

/** An engine that other processes may serve, as far as its service knows. */
function shared(engine: RunEngine): RunEngine {
  return {
    submit: (job) => engine.submit(job),
    withdraw: (runId) => engine.withdraw(runId),
    serve: (perform, options) => engine.serve(perform, options),
    waiting: () => engine.waiting(),
    close: () => engine.close(),
  };
}

/**
 * Serves an agent in a process that performs no runs at first. `begin` starts another process, which performs them and
 * hangs in its answer; `takeOver` ends that one, so that the first process performs them.
 */
async function open(first: ScriptedModel) {
  const storage = new InMemoryStorage();
  const agentOf = (model: ScriptedModel) => new Agent({ name: "a", model, storage: new InMemoryStorage() });
  const agents = { a: agentOf(new ScriptedModel(whole)) };
  const runs = new RunService({ agents, storage, engine: shared(new LocalEngine()) });
  const service = createService({ agents, runs, logger: createLogger({ level: "silent" }) });
  const { url, server } = await serve(service, [agUi()], { port: 0 });
  let other: RunService | undefined;
  onTestFinished(async () => {
    server.closeAllConnections();
    await service.close({ graceMs: 0 });
    await runs.close();
    await other?.close();
  });
  const begin = async (): Promise<void> => {
    await vi.waitFor(async () => expect(await storage.list("runs")).toHaveLength(1), patience);
    other = new RunService({ agents: { a: agentOf(first) }, storage });
    void other.serve();
  };
  const takeOver = async (): Promise<void> => {
    await other?.close();
    await runs.serve();
  };
  return { url: `${url}/agui/agents/a`, begin, takeOver };
}

const halves: readonly ModelChunk[] = [
  { type: "text", text: "first " },
  { type: "text", text: "half" },
];

const scenes: Readonly<Record<string, readonly [begun: readonly ModelChunk[], seen: string]>> = {
  "a text": [halves, "TEXT_MESSAGE_CONTENT"],
  "a thought": [[{ type: "thinking", text: "Hm" }], "REASONING_MESSAGE_CONTENT"],
  "the call of a tool": [
    [
      { type: "text", text: "I paint." },
      { type: "tool_call_start", toolCall: { id: "c1", name: "paint" } },
      { type: "tool_call_delta", toolCallId: "c1", argumentsDelta: '{"a' },
    ],
    "TOOL_CALL_ARGS",
  ],
};

describe.each(revisions)("a takeover within an answer, as revision %s takes it", (revision) => {
  it.each(Object.entries(scenes))(
    "takes %s back, and goes on with what the other process writes [ag-ui.takeover]",
    async (_, [begun, seen]) => {
      const { url, begin, takeOver } = await open(hangingBehind(...begun));
      const Client = revision === "1.0.0" ? CurrentAgent : OldAgent;
      const agent = new Client({ url, threadId: "th" });
      agent.setMessages([earlier, { id: "a0", role: "assistant", content: "Ja." }, asked]);
      const hasSeen = Promise.withResolvers<void>();
      const types: string[] = [];
      agent.subscribe({
        onEvent: ({ event }) => {
          types.push(event.type);
          if (types.at(-1) === seen) hasSeen.resolve();
        },
      });
      const over = agent.runAgent({ runId: "r1" });
      await begin();
      await hasSeen.promise;
      await takeOver();
      await over;

      expect(types).toContain("MESSAGES_SNAPSHOT");
      expect(types.at(-1)).toBe("RUN_FINISHED");
      expect(agent.messages.map(({ id, content }) => [id.slice(0, 2), content]).slice(0, 3)).toEqual([
        ["u0", "Früher."],
        ["a0", "Ja."],
        ["u1", "Hello?"],
      ]);
      expect(agent.messages.filter(({ role }) => role !== "reasoning").map(({ content }) => content)).toEqual([
        "Früher.",
        "Ja.",
        "Hello?",
        whole,
      ]);
    },
  );

  it("gives a client that comes later the answer of the other process alone [ag-ui.takeover]", async () => {
    const { url, begin, takeOver } = await open(hangingBehind(...halves));
    const request = { runId: "r1", messages: [asked] };
    const first = ask(url, revision, request);
    await begin();
    await takeOver();
    await first;
    const events = await ask(url, revision, request);

    const text = events.map(({ type, delta }) => (type === "TEXT_MESSAGE_CONTENT" ? delta : "")).join("");
    expect(text).toBe(whole);
  });
});
