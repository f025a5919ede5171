import { TroupeError } from "@troupe/core";
import { createRedactor } from "@troupe/core/kit";
import type { OperationEvent, Operations } from "@troupe/core/service";
import { vi } from "vitest";
import type { Recorder } from "./recorder.ts";

/** One operation: how it begins, what happens in it, and how it ends. */
type Scene<Name extends keyof Operations> = {
  readonly begin: Operations[Name]["begin"];
  readonly end: Operations[Name]["end"];
  readonly notes?: readonly OperationEvent[];
};

export const usage = {
  promptTokens: 1,
  completionTokens: 2,
  totalTokens: 3,
  cachedTokens: 4,
  cacheWriteTokens: 5,
  reasoningTokens: 6,
};
export const least = { promptTokens: 1, completionTokens: 0, totalTokens: 1 };
const error = new TroupeError("rate_limited", "secret");
const redact = createRedactor(["sk-key"]);
export const run = { kind: "agent", name: "é", runId: "r", redact, input: () => "in sk-key" } as const;
export const over = { status: "completed", usage, text: () => "out sk-key" } as const;
const model = { providerId: "google", modelId: "m" };
const call = { model, isStream: false, settings: {}, messages: () => [], tools: () => [] };
const said = {
  ...call,
  isStream: true,
  settings: {
    temperature: 0,
    topP: 0.5,
    maxTokens: 9,
    stop: ["x"],
    seed: 0,
    reasoningEffort: "low",
    outputType: "json" as const,
  },
  messages: () => [
    { role: "system" as const, content: "Be é." },
    { role: "user" as const, content: "in" },
    { role: "tool" as const, content: [{ type: "text" as const, text: "é" }], toolCallId: "c" },
  ],
  tools: () => [{ name: "t", description: "d", parameters: { type: "object" } }],
};
const answer = {
  text: "out",
  toolCalls: [{ id: "c", name: "t", arguments: { a: 1 } }],
  finishReason: "stop",
  responseId: "id",
  model: "m-1",
};
const tool = { name: "t", isKnown: true, toolCallId: "c", args: () => ({ a: "sk-key", password: "p" }) };
const invented = { ...tool, name: "x".repeat(65), isKnown: false };
const mcp = { side: "client", method: "tools/call" } as const;
const result = () => undefined;

const attempt = { type: "attempt", ...model, durationMs: 1500 } as const;
const notes: readonly OperationEvent[] = [
  { ...attempt, attempt: 1, error: "timeout", usage },
  { ...attempt, attempt: 2 },
  { type: "wait", kind: "approval" },
  { type: "takeover", kind: "crash", attempt: 3 },
];

/** Every operation, with each fact that it may have, and without it. */
const scenes: { readonly [Name in keyof Operations]: readonly Scene<Name>[] } = {
  run: [
    { begin: run, end: over, notes },
    { begin: { ...run, kind: "team", parentRunId: "p", sessionId: "s", model, attempt: 2 }, end: over },
    { begin: { ...run, kind: "workflow" }, end: { ...over, status: "paused" } },
    { begin: { ...run, kind: "remote", parentRunId: "p" }, end: over },
    { begin: { ...run, kind: "facts" }, end: over },
    { begin: { ...run, kind: "title" }, end: over },
    { begin: run, end: { ...over, status: "error", error } },
    { begin: run, end: { ...over, status: "error", error: new Error("secret") } },
    { begin: run, end: { ...over, status: "cancelled", error, usage: least } },
  ],
  model: [
    { begin: call, end: { usage: least } },
    { begin: said, end: { usage, answer }, notes: [{ type: "chunk" }, { type: "chunk" }] },
    { begin: call, end: { usage, answer: { text: "", answeredBy: { providerId: "b", modelId: "n" } } } },
    { begin: call, end: { usage: least, error }, notes: [{ type: "chunk" }] },
    { begin: call, end: { usage: least, error, isCancelled: true } },
    { begin: { ...call, model: { providerId: "azure", modelId: "m" } }, end: { usage: least, isCancelled: true } },
  ],
  tool: [
    { begin: { ...tool, description: "d" }, end: { result: () => "out sk-key" } },
    { begin: invented, end: { result, failure: "No." } },
    { begin: tool, end: { result, error } },
    { begin: tool, end: { result, error, isPaused: true } },
    {
      begin: tool,
      end: {
        result: () => [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    },
  ],
  step: [
    { begin: { name: "é", kind: "agent" }, end: {} },
    { begin: { name: "é", kind: "run" }, end: { error: "thrown" } },
  ],
  memory: [
    { begin: { action: "search", store: "facts" }, end: { count: 0 } },
    { begin: { action: "upsert", store: "session" }, end: { error } },
  ],
  embeddings: [
    { begin: { model, count: 2 }, end: { dimensions: 3 } },
    { begin: { model: {}, count: 2 }, end: { error } },
  ],
  retrieval: [
    {
      begin: { source: "é", topK: 3, query: () => "in sk-key" },
      end: { documents: () => [{ id: "d", score: 0.5, content: "out" }] },
    },
    { begin: { source: "é", query: () => undefined }, end: { documents: () => [], error } },
  ],
  mcp: [
    { begin: mcp, end: {} },
    {
      begin: { ...mcp, side: "server", toolName: "t", requestId: "1", transport: "tcp", address: "h" },
      end: { isToolError: true, error },
    },
    { begin: { ...mcp, transport: "pipe" }, end: { error } },
  ],
  accept: [
    { begin: { kind: "agent", name: "é", runId: "r" }, end: {} },
    { begin: { kind: "agent", name: "é", runId: "r" }, end: { error } },
  ],
};

/** Plays an operation of a quarter of a second for itself and for each note. */
function play<Name extends keyof Operations>(recorder: Recorder, name: Name, scene: Scene<Name>): void {
  const operation = recorder.telemetry.begin(name, scene.begin);
  vi.advanceTimersByTime(250);
  for (const note of scene.notes ?? []) {
    operation.note(note);
    vi.advanceTimersByTime(250);
  }
  operation.end(scene.end);
  operation.end(scene.end);
}

/** Plays all operations. The clock of `performance` must be a fake one. */
export function playAll(recorder: Recorder): void {
  for (const name of Object.keys(scenes) as (keyof Operations)[]) {
    for (const scene of scenes[name]) play(recorder, name, scene as Scene<typeof name>);
  }
}

/** Records each measurement that belongs to no operation, and returns the function that ends those that are observed. */
export function measureAll({ telemetry }: Recorder): () => void {
  telemetry.measure("stream", { by: 1 });
  telemetry.measure("stream", { by: 1 });
  telemetry.measure("stream", { by: -1 });
  telemetry.measure("refusal", { reason: "full" });
  telemetry.measure("session.wait", { ms: 1500 });
  telemetry.measure("queue.wait", { ms: 2500 });
  telemetry.measure("mcp.session", { side: "server", ms: 3500, transport: "pipe" });
  const client = { side: "client", ms: 4500, transport: "tcp", protocolVersion: "2025-11-25" } as const;
  telemetry.measure("mcp.session", client);
  telemetry.measure("mcp.session", { ...client, isLost: true });
  const ends = [
    telemetry.observe("queue.depth", async () => await Promise.resolve(7)),
    telemetry.observe("queue.age", async () => await Promise.resolve(8.5)),
  ];
  return () => ends.forEach((end) => end());
}
