import type { ChatMessage, Json, StreamChunk, TokenUsage } from "@troupe/core";
import type { DialectName, Exchange } from "@troupe-internal/vendor-fakes";
import type { Evidence } from "../evidence.ts";
import type { Operation } from "../operation-log.ts";
import type { Probe } from "../probe.ts";
import { contentText } from "../stored-turns.ts";
import { wireBodies } from "./wire-bodies.ts";

/** Evidence that a test can change. */
export type Spoilable = {
  -readonly [Name in keyof Required<Evidence>]: Required<Evidence>[Name];
};

type Turn = { input: string; messages: ChatMessage[]; status: "completed" | "interrupted"; runId: string };

const usage: TokenUsage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
const route = "POST /agents/{name}/run";

/** Three sessions, each with another vendor. */
const sessions: readonly { id: string; nonce: string; dialect: DialectName }[] = [
  { id: "amber", nonce: "nonce-00000000000000a1", dialect: "openai-chat" },
  { id: "birch", nonce: "nonce-00000000000000b2", dialect: "anthropic" },
  { id: "cedar", nonce: "nonce-00000000000000c3", dialect: "google" },
];

/** A key that must not appear in anything emitted. */
export const canary = 'sk-canary-"7f3/é+a=b';

/**
 * Returns the evidence of a valid run: three sessions with five turns, each turn with a tool. The third turn of `birch`
 * failed after its tool had run, the fourth of `cedar` has an unknown outcome, and a sixth of `amber` failed at once.
 */
export function recordedRun(): Spoilable {
  const evidence: Spoilable = {
    operations: [],
    exchanges: [],
    storage: { sessions: [], turns: [], memory: [], facts: [], tasks: [] },
    observations: sessions.map(({ id, nonce }) => ({ sessionId: id, place: "The trace", text: `span of ${nonce}` })),
    processes: [{ name: "The service", before: probe(), after: probe() }],
    declared: {
      [route]: { 200: (body) => typeof body === "object", 502: () => true, 404: () => true },
      "GET /sessions/{id}": { 404: () => true },
    },
    responses: [{ route: "GET /sessions/{id}", status: 404 }],
    streams: [
      { name: "of amber", chunks: streamChunks(), end: "closed" },
      { name: "left", chunks: streamChunks().slice(0, 3), end: "aborted" },
    ],
    emitted: [{ place: "The log", chunks: ["started\n", Buffer.from("run ended sk-***\n")] }],
    canaries: [canary],
    memory: [
      {
        name: "The service",
        budget: {
          rssBytes: 6e8,
          rssRiseBytes: 1e8,
          warmUpRequests: 100_000,
          heapRiseBytes: 5e6,
          heapBytesPerRequest: 2,
        },
        samples: samples(),
      },
    ],
  };
  for (const session of sessions) recordSession(evidence, session);
  const refused = { id: "amber-6", sessionId: "amber" };
  evidence.operations = [
    ...evidence.operations,
    { ...refused, type: "invoke", nonce: "nonce-00000000000000a1", input: "nonce-00000000000000a1 question 6" },
    { ...refused, type: "fail", response: { route, status: 502, fault: "upstream" } },
  ];
  return evidence;
}

function recordSession(evidence: Spoilable, { id, nonce, dialect }: (typeof sessions)[number]): void {
  const turns = [1, 2, 3, 4, 5].map((number) => turnOf(id, nonce, number));
  evidence.operations = [
    ...evidence.operations,
    ...turns.flatMap((turn, index) => operationsOf(turn, { id, nonce, index })),
  ];
  evidence.exchanges = [
    ...evidence.exchanges,
    ...turns.flatMap((_turn, index) => exchangesOf(turns.slice(0, index + 1), dialect)),
  ];
  const entries = turns.map((turn, index) => ({
    key: `-/-/${id}/${String(index + 1).padStart(12, "0")}`,
    value: { v: 1, runnable: "weather", usage, createdAt: 1_770_000_000_000, ...turn } as unknown as Json,
  }));
  const session = { v: 1, owner: {}, createdAt: 1, updatedAt: 2, turns: turns.length, title: `${nonce} question 1` };
  evidence.storage = {
    ...evidence.storage,
    turns: [...evidence.storage.turns, ...entries],
    sessions: [...evidence.storage.sessions, { key: `-/-/${id}`, value: session }],
    memory: [
      ...evidence.storage.memory,
      { key: `-/-/${id}/000000000001`, value: { summary: `${nonce} asked for the weather` } },
    ],
  };
}

function turnOf(session: string, nonce: string, number: number): Turn {
  const isInterrupted = session === "birch" && number === 3;
  const id = `call-${session}-${number}`;
  const messages: ChatMessage[] = [
    { role: "assistant", content: null, toolCalls: [{ id, name: "weather", arguments: { city: nonce } }] },
    { role: "tool", toolCallId: id, content: isInterrupted ? "interrupted" : `${nonce} rain ${number}` },
  ];
  if (!isInterrupted) messages.push({ role: "assistant", content: `${nonce} answer ${number}` });
  const status = isInterrupted ? "interrupted" : "completed";
  return { input: inputOf(session, nonce, number), messages, status, runId: `run-${session}-${number}` };
}

/** Returns the stored input. The third session has a hook that adds a word. */
function inputOf(session: string, nonce: string, number: number): string {
  return `${nonce} question ${number}${session === "cedar" ? " please" : ""}`;
}

function operationsOf(turn: Turn, { id, nonce, index }: { id: string; nonce: string; index: number }): Operation[] {
  const operation = { id: `${id}-${index + 1}`, sessionId: id };
  const invoke: Operation = { ...operation, type: "invoke", nonce, input: turn.input.replace(" please", "") };
  // The connection broke before the response, so the run id is unknown too.
  if (id === "cedar" && index === 3) return [invoke, { ...operation, type: "info" }];
  const told = { ...operation, runId: turn.runId };
  if (turn.status === "interrupted")
    return [invoke, { ...told, type: "fail", response: { route, status: 502, fault: "upstream" } }];
  const text = contentText(turn.messages.at(-1)?.content);
  return [invoke, { ...told, type: "ok", seen: "200", text, response: { route, status: 200, body: { text } } }];
}

/** Returns two requests for each turn: one for the tool call, and one for the answer after its result. */
function exchangesOf(turns: readonly Turn[], dialect: DialectName): Exchange[] {
  const whole = turns.flatMap(({ input, messages }): ChatMessage[] => [{ role: "user", content: input }, ...messages]);
  const last = turns.at(-1)?.messages.length ?? 0;
  return [whole.slice(0, -last), whole.slice(0, whole.length - last + 2)].map((messages) => ({
    dialect,
    route: { kind: "chat", modelId: "m", stream: false },
    request: { method: "POST", url: "/v1/chat", headers: {}, body: wireBodies[dialect](messages) },
    key: canary,
    end: "completed",
  }));
}

function streamChunks(): StreamChunk[] {
  return [
    { type: "tool_call_start", toolCall: { id: "1", name: "weather" } },
    { type: "tool_call_start", toolCall: { id: "2", name: "weather" } },
    { type: "tool_call_delta", toolCallId: "1", argumentsDelta: "{}" },
    { type: "tool_result", toolCallId: "2", toolName: "weather", result: "rain", durationMs: 1 },
    { type: "tool_call_end", toolCallId: "2" },
    { type: "tool_result", toolCallId: "1", toolName: "weather", result: "rain", durationMs: 1 },
    { type: "tool_call_end", toolCallId: "1" },
    { type: "text", text: "It rains." },
    { type: "finish", finishReason: "stop" },
  ];
}

function probe(): Probe {
  const counts = { "file descriptors": 21, TCPServerWrap: 1, "live runs": 0 };
  return {
    pid: 4242,
    counts,
    rssBytes: 1e8,
    heapBytes: 2e7,
    eventLoopDelayP99Ms: 12,
    uncaught: 0,
    listenerWarnings: 0,
  };
}

function samples() {
  return [0, 1, 2, 3].map((step) => ({
    requests: step * 100_000,
    rssBytes: 1e8 + step,
    // Modules that the first requests import stay in memory.
    heapBytes: step === 0 ? 1e7 : 2e7 + (step % 2) * 1e5,
  }));
}
