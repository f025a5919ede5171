import { bedrockEvent } from "@troupe-internal/vendor-fakes";
import { isRetryable, ModelError } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { bedrock } from "@troupe/providers-bedrock";
import { expect, it } from "vitest";
import { eventsOf, mutate, mutationKinds } from "./mutate-transcript.ts";

type Event = { type: string; payload: object };

const delta = (contentBlockIndex: number, fields: object): Event => ({
  type: "contentBlockDelta",
  payload: { contentBlockIndex, delta: fields },
});

/** An answer with thinking, text and a call of a tool. */
const recorded: readonly Event[] = [
  { type: "messageStart", payload: { role: "assistant" } },
  delta(0, { reasoningContent: { text: "Hm." } }),
  delta(0, { reasoningContent: { signature: "s" } }),
  { type: "contentBlockStop", payload: { contentBlockIndex: 0 } },
  delta(1, { text: "Größe" }),
  { type: "contentBlockStop", payload: { contentBlockIndex: 1 } },
  {
    type: "contentBlockStart",
    payload: { contentBlockIndex: 2, start: { toolUse: { toolUseId: "t", name: "look" } } },
  },
  delta(2, { toolUse: { input: '{"at":' } }),
  delta(2, { toolUse: { input: '"Oslo"}' } }),
  { type: "contentBlockStop", payload: { contentBlockIndex: 2 } },
  { type: "messageStop", payload: { stopReason: "tool_use" } },
  { type: "metadata", payload: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } } },
];
const lines = recorded.map((event) => `${JSON.stringify(event)}\n`).join("");

/** Returns every alteration of the events and their fields. */
function* alterations(): Generator<string> {
  for (const kind of mutationKinds)
    for (let event = 0; event < recorded.length; event += 1)
      for (let field = 0; field < (kind.endsWith("field") || kind === "reverse fields" ? 7 : 1); field += 1)
        yield mutate(lines, { kind, event, field });
}

function framesOf(answer: string): Uint8Array {
  const frames = eventsOf(answer).map((event) => {
    const { type, payload } = (event ?? {}) as Partial<Event>;
    return bedrockEvent(String(type), (payload ?? null) as object);
  });
  return Buffer.concat(frames);
}

/** Reads an answer, and returns its chunks and its error. */
async function read(body: Uint8Array): Promise<{ chunks: ModelChunk[]; error?: unknown }> {
  const headers = { "content-type": "application/vnd.amazon.eventstream" };
  const fetch = async () => new Response(new Uint8Array(body), { headers });
  const model = bedrock("amazon.nova-pro-v1:0", { apiKey: "k", region: "us-east-1", fetch });
  const chunks: ModelChunk[] = [];
  try {
    for await (const chunk of model.stream([{ role: "user", content: "Go." }])) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error };
  }
}

const lost = ["model_failed", "ECONNRESET", true];

/** Returns the facts of an error by which a run decides; undefined without one. */
function lossOf(error: unknown): unknown {
  return error instanceof ModelError ? [error.code, error.networkCode, isRetryable(error)] : error;
}

function textOf(chunks: readonly ModelChunk[], type: "text" | "thinking"): string {
  return chunks.map((chunk) => (chunk.type === type ? chunk.text : "")).join("");
}

it("every altered answer of Bedrock is read as far as it is sound, or is a lost connection [model-calls.altered-answers]", async () => {
  let count = 0;
  for (const answer of alterations()) {
    const { chunks, error } = await read(framesOf(answer));
    const ends = chunks.filter(({ type }) => type === "finish").length;
    count += 1;

    expect([ends, lossOf(error)], answer).toEqual(error === undefined ? [1, undefined] : [0, lost]);
    expect(["", "Größe", "GrößeGröße"], answer).toContain(textOf(chunks, "text"));
    expect(["", "Hm.", "Hm.Hm."], answer).toContain(textOf(chunks, "thinking"));
    const started = chunks.flatMap((chunk) => (chunk.type === "tool_call_start" ? [chunk.toolCall] : []));
    const ended = chunks.flatMap((chunk) => (chunk.type === "tool_call_end" ? [chunk.toolCallId] : []));
    expect(ended, answer).toEqual(error === undefined ? started.map(({ id }) => id) : ended);
    for (const { name } of started) expect(name, answer).toBe("look");
  }
  expect(count).toBeGreaterThan(57);
});

it("every answer of Bedrock that is cut, or has one damaged byte, is a lost connection", async () => {
  const whole = framesOf(lines);
  const afterStop = whole.byteLength - bedrockEvent("metadata", recorded.at(-1)?.payload ?? {}).byteLength;
  for (let at = 0; at < whole.byteLength; at += 11) {
    const broken = Buffer.from(whole);
    broken.writeUInt8(broken.readUInt8(at) ^ 1, at);
    for (const bytes of [whole.subarray(0, at), broken]) {
      const { error } = await read(bytes);
      // Without the last event only the usage is missing.
      expect(lossOf(error), `byte ${at}`).toEqual(bytes.byteLength === afterStop ? undefined : lost);
    }
  }
});
