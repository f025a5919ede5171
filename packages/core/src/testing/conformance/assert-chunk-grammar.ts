import { assert } from "./assert.ts";
import type { ModelChunk } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../../run/stream-chunk.ts";

const fields: Record<ModelChunk["type"], readonly string[]> = {
  text: ["text", "type"],
  thinking: ["text", "type"],
  tool_call_start: ["toolCall", "type"],
  tool_call_delta: ["argumentsDelta", "toolCallId", "type"],
  tool_call_end: ["toolCallId", "type"],
  finish: ["finishReason", "type", "usage"],
};

/** Asserts that the chunks of a run have no field beyond the interface's, also in their JSON. */
export function assertPlainChunks(chunks: readonly StreamChunk[]): void {
  assertFields(chunks, fields);
}

/** Asserts that the chunks of a model have no field beyond the interface's, also in their JSON. */
export function assertModelChunks(chunks: readonly ModelChunk[]): void {
  assertFields(chunks, { ...fields, finish: [...fields.finish, "responseId", "model", "vendorState"] });
}

function assertFields(chunks: readonly ModelChunk[], known: typeof fields): void {
  for (const chunk of chunks) {
    const extra = Object.keys(JSON.parse(JSON.stringify(chunk)) as object).filter(
      (field) => !known[chunk.type].includes(field),
    );
    assert.deepEqual(extra, [], `a ${chunk.type} chunk has more than its fields`);
  }
}

/** Asserts that a whole stream ends with its only `finish`. */
export function assertFinishesOnce(chunks: readonly ModelChunk[]): void {
  const finishes = chunks.filter(({ type }) => type === "finish");
  assert.equal(finishes.length, 1, "a stream has one finish chunk");
  assert.equal(chunks.at(-1)?.type, "finish", "finish is the last chunk");
}

/** Asserts that each call starts, is told its arguments, and ends, in this order and each once; returns the arguments. */
export function assertCallGrammar(chunks: readonly ModelChunk[]): Map<string, { name: string; text: string }> {
  const calls = new Map<string, { name: string; text: string; ended: boolean }>();
  for (const chunk of chunks) {
    if (chunk.type === "tool_call_start") {
      assert.ok(chunk.toolCall.id !== "" && !calls.has(chunk.toolCall.id), "each call has an id of its own");
      calls.set(chunk.toolCall.id, { name: chunk.toolCall.name, text: "", ended: false });
    } else if (chunk.type === "tool_call_delta" || chunk.type === "tool_call_end") {
      const call = calls.get(chunk.toolCallId);
      assert.ok(call !== undefined && !call.ended, `${chunk.type} comes between the start of its call and its end`);
      if (chunk.type === "tool_call_delta") call.text += chunk.argumentsDelta;
      else call.ended = true;
    }
  }
  for (const { name, ended } of calls.values()) assert.ok(ended, `the call of ${name} never ends`);
  return calls;
}
