import assert from "node:assert/strict";
import { Agent, defineTool, Memory } from "@troupe/core";
import type { ModelProvider, UnstructuredRunOutput, StorageDriver, StreamChunk, ToolDef } from "@troupe/core";
import { toPublicOutput } from "@troupe/core/transport";
import type { ModelResponse } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import fc from "fast-check";

/** A tool call as a model wrote it: anything as its id and name, and any text as its arguments, split at a place. */
type SaidCall = { id: unknown; name: unknown; args: string; splitAt: number };

/** One answer of a model: pieces of its text, its calls, and the text of the vendor's usage object. */
export type Said = { pieces: string[]; calls: SaidCall[]; metrics: string };

/** Any UTF-16 units: also halves of characters, and NUL. */
const units = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff_ff }), fc.constantFrom(0, 34, 92, 0xd8_3d, 0xde_00)), { maxLength: 8 })
  .map((codes) => String.fromCharCode(...codes));

const oddKeys = ["__proto__", "constructor", "toString", "", "\0", "$where", "a.b", "k".repeat(5000), "\ud83d"];
const key = fc.oneof(units, fc.constantFrom(...oddKeys)).map((name) => JSON.stringify(name));
const oddNumbers = ["1e999", "-1e999", "-0", "1e-400", "12345678901234567890", "0.1"];

const { value } = fc.letrec<{ value: string; list: string; record: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom("null", "true", ...oddNumbers),
    units.map((text) => JSON.stringify(text)),
    tie("list"),
    tie("record"),
  ),
  list: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  record: fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((members) => textOf(members)),
}));

function textOf(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, member]) => `${name}:${member}`).join(",")}}`;
}

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const broken = ['{"a":', "[1]", "5", "null", '"x"', "", "{'a':1}", '{"a":1}{"b":2}'];
const anyArgs = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.tuple(key, value), { maxLength: 4 }).map(textOf) },
  { weight: 1, arbitrary: fc.constantFrom(...broken) },
  { weight: 1, arbitrary: fc.constantFrom(47, 48, 60, 63, 64, 65, 70, 3000).map(nested) },
);
const anyId: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>("call_1", "call_2", "", 7, 0, null, undefined, "i".repeat(10_240), "i".repeat(20_000)),
  units,
  fc.jsonValue(),
);
const anyName: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<unknown>("look") },
  { weight: 1, arbitrary: fc.constantFrom<unknown>("", null, 5, undefined, "functions.look", "n".repeat(10_240)) },
  { weight: 1, arbitrary: units },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** Anything that a model may say in one answer. */
const said: fc.Arbitrary<Said> = fc.record({
  pieces: fc.array(units, { maxLength: 3 }),
  calls: fc.array(fc.record({ id: anyId, name: anyName, args: anyArgs, splitAt: fc.nat(20) }), { maxLength: 4 }),
  metrics: fc.oneof(fc.constant('{"prompt_tokens":1}'), fc.array(fc.tuple(key, value), { maxLength: 2 }).map(textOf)),
});

/** A session in which a model says anything, and how each of its runs is read. */
export type OddSession = { answers: Said[]; isStreamed: boolean; hasMemory?: boolean };

/** Sessions of one to three turns. */
export const oddSessions: fc.Arbitrary<OddSession> = fc.record({
  answers: fc.array(said, { minLength: 1, maxLength: 3 }),
  isStreamed: fc.boolean(),
  hasMemory: fc.boolean(),
});

/** Answers that once lost their turn. */
export const knownCases: readonly Said[] = [
  saying({ args: '{"at":1e999}' }),
  saying({ id: 7 }),
  saying({ args: '{"at":"\\ud83d"}' }),
  { pieces: ["Hi \ud83d", "\ude00", " \ud83d"], calls: [], metrics: "{}" },
  { ...saying({}), metrics: `{"cost":1e999,"note":"\\ud83d","deep":${nested(80)}}` },
];

const manyValues = `{"at":[${"0,".repeat(400_000)}0]}`;

/** Answers that are larger than a turn. */
export const largeCases: readonly Said[] = [
  saying({ args: `{"at":"${"x".repeat(10_485_760)}"}` }),
  { ...saying({}), calls: ["1", "2", "3"].map((id) => ({ id, name: "look", args: manyValues, splitAt: 5 })) },
];

function saying(call: Partial<SaidCall>): Said {
  return { pieces: ["Hm."], calls: [{ id: "call_1", name: "look", args: "{}", splitAt: 3, ...call }], metrics: "{}" };
}

/** A tool that takes anything, and fails when it gets what JSON cannot hold. */
const look: ToolDef = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object" },
  execute: (given) => {
    assertJson(given, "arguments");
    return "seen";
  },
});

/** A model whose next runs are answered as `next` says; beside it, a check of the requests that it got. */
export type OddModel = { model: ModelProvider; next: (answer: Said) => void; check: () => void };

/** Runs the session, one more turn, and checks that each turn is stored and that all that was sent and shown is sound. */
export async function checkSession(
  { answers, isStreamed, hasMemory = false }: OddSession,
  odd: OddModel,
  storage: StorageDriver,
): Promise<void> {
  const memory = hasMemory ? new Memory({ storage, maxShortTermMessages: 4 }) : undefined;
  const agent = new Agent({ name: "a", model: odd.model, storage, memory, tools: [look], retry: { maxRetries: 0 } });
  const warnings: string[] = [];
  agent.eventBus.on("run.warning", ({ code }) => warnings.push(code));
  const sessionId = crypto.randomUUID();
  const runIds: string[] = [];
  for (const answer of [...answers, { pieces: ["Well."], calls: [], metrics: "{}" }]) {
    odd.next(answer);
    const output = isStreamed ? await readStream(agent, sessionId) : await agent.run("Hello", { sessionId });
    assert.equal(output.status, "completed");
    for (const { error } of output.toolCalls) assert.notEqual(error, "The tool look failed.");
    assertJson(toPublicOutput(output), "output");
    runIds.push(output.runId);
  }
  const { turns } = await agent.sessions.readTurns(sessionId);
  assert.deepEqual(
    turns.map((turn) => turn.runId),
    runIds,
  );
  assertJson(turns, "turns");
  const calls = turns.flatMap(({ messages }) => messages.flatMap(({ toolCalls = [] }) => toolCalls));
  for (const { id, name } of calls) assert.ok(id !== "" && name !== "", "a call has no id or no name");
  assert.ok(!warnings.includes("memory_not_updated"));
  odd.check();
}

async function readStream(agent: Agent, sessionId: string): Promise<UnstructuredRunOutput> {
  const stream = agent.stream("Hello", { sessionId });
  const chunks: StreamChunk[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  for (const chunk of chunks) assertJson(chunk, chunk.type);
  return await stream.output;
}

/** Asserts that a value is JSON whose strings are well-formed and whose numbers are finite. */
export function assertJson(given: unknown, at: string): void {
  if (typeof given === "string") assert.ok(given.isWellFormed(), `${at} is not well-formed`);
  else if (typeof given === "number") assert.ok(Number.isFinite(given), `${at} is ${given}`);
  else if (typeof given === "object" && given !== null) {
    for (const [member, part] of Object.entries(given)) {
      assert.ok(member.isWellFormed(), `a key in ${at} is not well-formed`);
      if (part !== undefined) assertJson(part, at);
    }
  } else assert.ok(given === null || typeof given === "boolean", `${at} holds a ${typeof given}`);
}

/** A provider of a third party that checks nothing: it gives what the model said as the types have it, or not. */
export function bareModel(): OddModel {
  let odd: Said | undefined;
  const requests: unknown[] = [];
  const answer = (messages: unknown): Said => {
    requests.push(structuredClone(messages));
    const now = odd;
    odd = undefined;
    return now ?? { pieces: ["Done."], calls: [], metrics: "{}" };
  };
  return {
    next: (answered) => (odd = answered),
    check: () => assertJson(JSON.parse(JSON.stringify(requests)), "the messages"),
    model: {
      providerId: "bare",
      modelId: "bare-1",
      generate: async (messages) => toWhole(answer(messages)),
      stream: (messages) => toChunks(answer(messages)),
    },
  };
}

function toWhole({ pieces, calls, metrics }: Said): ModelResponse {
  const text = pieces.join("");
  const toolCalls = calls.map((call) => ({ id: call.id, name: call.name, arguments: parsedOr(call.args) }));
  return { text, toolCalls: toolCalls as ModelResponse["toolCalls"], finishReason: "stop", usage: usageOf(metrics) };
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function usageOf(metrics: string): ModelResponse["usage"] {
  const providerMetrics = JSON.parse(metrics) as Record<string, unknown>;
  return { promptTokens: 1, completionTokens: 1, totalTokens: 2, providerMetrics };
}

async function* toChunks({ pieces, calls, metrics }: Said): AsyncGenerator<ModelChunk> {
  for (const text of pieces) yield { type: "text", text };
  for (const call of calls) {
    const [toolCallId, toolName] = [call.id as string, call.name as string];
    yield { type: "tool_call_start", toolCall: { id: toolCallId, name: toolName } };
    yield { type: "tool_call_delta", toolCallId, argumentsDelta: call.args.slice(0, call.splitAt) };
    yield { type: "tool_call_delta", toolCallId, argumentsDelta: call.args.slice(call.splitAt) };
    yield { type: "tool_call_end", toolCallId };
  }
  yield { type: "finish", finishReason: "stop", usage: usageOf(metrics) };
}
