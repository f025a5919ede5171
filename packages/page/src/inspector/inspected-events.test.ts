import type { RunEvent, RunKind } from "@troupe/core/runs";
import { noUsage } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { EventCollector } from "./inspected-events.ts";

type Told = RunEvent extends infer Each ? (Each extends RunEvent ? Omit<Each, "id"> : never) : never;

const chunk = (fields: { type: string; [field: string]: unknown }, step = "m/0"): Told => ({
  type: "chunk",
  step,
  chunk: fields,
});
const text = (said: string, step?: string): Told => chunk({ type: "text", text: said }, step);

/** Adds events of the ids 1, 2 and so on, and returns what is collected. */
function collect(
  events: readonly Told[],
  { kind = "agent", isHost = false }: { kind?: RunKind; isHost?: boolean } = {},
) {
  const collector = new EventCollector(kind, isHost);
  for (const [index, event] of events.entries()) collector.add({ ...event, id: String(index + 1) });
  return collector.take();
}

describe("EventCollector", () => {
  it.each<[what: string, event: Told, shown: object]>([
    ["a text", text("Hi."), { type: "text", step: "m/0", text: "Hi." }],
    [
      "a thought",
      chunk({ type: "thinking", text: "Hm." }),
      { type: "text", step: "m/0", text: "Hm.", isThinking: true },
    ],
    [
      "another chunk, by its own fields",
      chunk({ type: "tool_progress", toolCallId: "t1", toolName: "look", progress: 50, secret: 1 }),
      {
        type: "chunk",
        step: "m/0",
        chunk: { type: "tool_progress", toolCallId: "t1", toolName: "look", progress: 50 },
      },
    ],
    [
      "a text that is none as it is",
      chunk({ type: "text", text: 7 }),
      { type: "chunk", step: "m/0", chunk: { type: "text", text: 7 } },
    ],
    [
      "the start of a call",
      chunk({ type: "tool_call_start", toolCall: { id: "t1", name: "look", arguments: { a: 1 } } }),
      { type: "chunk", step: "m/0", chunk: { type: "tool_call_start", toolCall: { id: "t1", name: "look" } } },
    ],
    ["an attempt", { type: "attempt", attempt: 2, node: "n1" }, { type: "attempt", attempt: 2, node: "n1" }],
    [
      "the time of an attempt",
      { type: "attempt", attempt: 2, node: "n1", at: 0 },
      { type: "attempt", attempt: 2, node: "n1", at: 0 },
    ],
    ["a reset", { type: "reset", step: "m/1" }, { type: "reset", step: "m/1" }],
    [
      "a call",
      { type: "call", step: "t/0/0", toolName: "look", args: { token: "x" }, effect: "once", at: 7 },
      { type: "call", step: "t/0/0", toolName: "look", args: { token: "[redacted]" }, effect: "once", at: 7 },
    ],
    [
      "a step that is done",
      { type: "done", step: "in", value: "Hi.", durationMs: 3, at: 8 },
      { type: "done", step: "in", facts: { output: "Hi." }, durationMs: 3, at: 8 },
    ],
    [
      "the usage of a step, without what is the vendor's",
      {
        type: "done",
        step: "in",
        value: "Hi.",
        usage: { ...noUsage, totalTokens: 5, cachedTokens: 1, providerMetrics: { x: 1 } },
        durationMs: 0,
      },
      {
        type: "done",
        step: "in",
        facts: { output: "Hi." },
        usage: { promptTokens: 0, completionTokens: 0, totalTokens: 5, cachedTokens: 1 },
        durationMs: 0,
      },
    ],
    [
      "a question",
      { type: "wait", wait: { id: "w1", kind: "approval", about: { toolName: "pay" }, toolCallId: "t1" } },
      { type: "wait", wait: { waitId: "w1", kind: "approval", about: { toolName: "pay" } } },
    ],
    [
      "the times of a question",
      { type: "wait", wait: { id: "w1", kind: "doubt", about: null, until: 9, askedAt: 0 } },
      { type: "wait", wait: { waitId: "w1", kind: "doubt", about: null, until: 9, askedAt: 0 } },
    ],
    ["an end", { type: "end", output: "Done." }, { type: "end", output: "Done." }],
    ["an end with a list", { type: "end", output: [1] }, { type: "end", output: [1] }],
    ["an end with nothing", { type: "end", output: null }, { type: "end", output: null }],
    [
      "an end without the calls of its output",
      { type: "end", output: { text: "Done.", toolCalls: [{ id: "t1" }] } },
      { type: "end", output: { text: "Done." } },
    ],
    [
      "an end with an error",
      { type: "end", output: null, error: { code: "timeout", message: "Late." } },
      { type: "end", output: null, error: { code: "timeout", message: "Late." } },
    ],
  ])("shows %s", (_, event, shown) => {
    expect(collect([event])).toStrictEqual([{ id: "1", event: shown }]);
  });

  it.each(["tool_call_delta", "tool_call_end", "tool_result", "finish", "source", "of_later"])(
    "leaves out the chunk %s",
    (type) => {
      const fields = { toolCallId: "t1", toolName: "look", result: "x", durationMs: 1, id: "s1", usage: noUsage };
      expect(collect([chunk({ type, ...fields })])).toEqual([]);
    },
  );

  it("shows the chunks of an agent within a workflow, and the workflow's own", () => {
    const inner = { type: "text", text: "Hi." };
    const events = [
      chunk({ type: "chunk", step: "ask", chunk: inner }, "w/ask"),
      chunk({ type: "step_start", step: "ask" }, "w"),
    ];
    expect(collect(events, { kind: "workflow" })).toStrictEqual([
      { id: "1", event: { type: "text", step: "w/ask", text: "Hi." } },
      { id: "2", event: { type: "chunk", step: "w", chunk: { type: "step_start", step: "ask" } } },
    ]);
  });

  it("puts the chunks of one text together, at the place of the last", () => {
    const events = [
      text("a"),
      text("b"),
      chunk({ type: "finish", usage: noUsage }),
      text("c"),
      chunk({ type: "thinking", text: "d" }),
      chunk({ type: "thinking", text: "e" }),
      text("f"),
      text("g", "m/1"),
      { type: "reset", step: "m/1" } as const,
      text("h", "m/1"),
    ];
    const shown = collect(events).map(({ id, event }) => [id, event.type === "text" ? event.text : event.type]);
    expect(shown).toEqual([
      ["4", "abc"],
      ["6", "de"],
      ["7", "f"],
      ["8", "g"],
      ["9", "reset"],
      ["10", "h"],
    ]);
  });

  it("puts at most 8000 characters together", () => {
    const lengths = collect([text("a ".repeat(3500)), text("b".repeat(900)), text("c".repeat(100)), text("d")]).map(
      ({ event }) => (event.type === "text" ? event.text.length : 0),
    );
    expect(lengths).toEqual([7900 + 100, 1]);
  });

  it("gives what was added since the last call, once, and is full at 64 events", () => {
    const collector = new EventCollector("agent", false);
    for (let at = 1; at <= 63; at++) collector.add({ id: String(at), type: "reset", step: "m/0" });
    expect(collector.isFull).toBe(false);
    collector.add({ ...text("a"), id: "64" });
    expect(collector.isFull).toBe(true);

    expect(collector.take()).toHaveLength(64);
    expect(collector.isFull).toBe(false);
    expect(collector.take()).toEqual([]);
    collector.add({ ...text("b"), id: "65" });
    expect(collector.take()).toEqual([{ id: "65", event: { type: "text", step: "m/0", text: "b" } }]);
  });

  it("tells the message of an exception to the host alone", () => {
    const error = { code: "internal", message: "at x" } as const;
    const events: Told[] = [
      { type: "done", step: "w/x", value: { error }, durationMs: 1 },
      { type: "end", output: null, error },
    ];
    const messages = (isHost: boolean) =>
      collect(events, { isHost }).map(({ event }) => {
        if (event.type === "done") return event.facts.error?.message;
        return event.type === "end" ? event.error?.message : "";
      });
    expect(messages(true)).toEqual(["at x", "at x"]);
    expect(messages(false)).toEqual(Array.from({ length: 2 }, () => "Something went wrong in this service."));
  });
});
