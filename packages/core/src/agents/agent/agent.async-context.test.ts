import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import { runEventNames } from "../run/run-events.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunStream } from "../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { callOf, toolNamed } from "./test/agents.ts";

const request = new AsyncLocalStorage<string>();

/** An agent, and the request that each of its parts was called in. */
function observed(turns: ConstructorParameters<typeof ScriptedModel>) {
  const seen = new Map<string, string | undefined>();
  const note = (part: string) => void seen.set(part, request.getStore());
  const eventBus = new EventBus<RunEvents>();
  for (const name of runEventNames) eventBus.on(name, () => note(name));
  const guardrail = (side: string) => ({
    name: side,
    check: () => {
      note(`${side} guardrail`);
      return { pass: true as const };
    },
  });
  const tool = toolNamed("look", async () => {
    await new Promise(setImmediate);
    note("tool");
    return "seen";
  });
  const agent = new Agent({
    name: "a",
    model: new ScriptedModel(...turns),
    tools: [tool],
    eventBus,
    instructions: () => {
      note("instructions");
      return "Answer.";
    },
    guardrails: { input: [guardrail("input")], output: [guardrail("output")] },
    hooks: {
      beforeRun: () => note("beforeRun"),
      afterRun: () => note("afterRun"),
      onToolCall: () => note("onToolCall"),
      onError: () => note("onError"),
    },
  });
  return { agent, seen };
}

const turns = () => [{ toolCalls: [callOf("1")] }, { text: ["It ", "rains."] }];

const ways: Record<string, (stream: RunStream) => Promise<unknown>> = {
  "its chunks are read": (stream) => Array.fromAsync(stream),
  "its texts are read": (stream) => Array.fromAsync(stream.textStream),
  "its output is awaited": (stream) => stream.output,
};

describe("the AsyncLocalStorage of a caller", () => {
  it("reaches all that a run calls [run.async-context]", async () => {
    const { agent, seen } = observed(turns());
    await request.run("caller", () => agent.run("Weather?"));

    expect(seen.size).toBeGreaterThanOrEqual(12);
    expect([...seen].filter(([, store]) => store !== "caller")).toEqual([]);
  });

  it.each(Object.entries(ways))(
    "reaches all that a stream calls when %s elsewhere [run.async-context]",
    async (_, read) => {
      const { agent, seen } = observed(turns());
      const stream = request.run("caller", () => agent.stream("Weather?"));
      await request.run("reader", () => read(stream));

      expect(seen.size).toBeGreaterThanOrEqual(13);
      expect([...seen].filter(([, store]) => store !== "caller")).toEqual([]);
    },
  );

  it("reaches the end of a run that is cancelled elsewhere, by its stream or by a signal [run.async-context]", async () => {
    for (const way of ["cancel", "signal", "leave"] as const) {
      const { agent, seen } = observed([{ toolCalls: [callOf("1")] }, { hang: true }]);
      const abort = new AbortController();
      const stream = request.run("caller", () => agent.stream("Weather?", { signal: abort.signal }));
      await request.run("reader", async () => {
        const chunks = stream[Symbol.asyncIterator]();
        await chunks.next();
        if (way === "cancel") stream.cancel();
        if (way === "signal") abort.abort();
        if (way === "leave") await chunks.return?.();
        await stream.output.catch(() => undefined);
      });

      expect(seen.get("onError")).toBe("caller");
      expect([...seen].filter(([, store]) => store !== "caller")).toEqual([]);
    }
  });

  it("stays with the reader in the code that reads", async () => {
    const { agent } = observed(turns());
    const stream = request.run("caller", () => agent.stream("Weather?"));
    const stores = new Set<unknown>();
    await request.run("reader", async () => {
      for await (const _ of stream) stores.add(request.getStore());
    });

    expect([...stores]).toEqual(["reader"]);
  });
});
