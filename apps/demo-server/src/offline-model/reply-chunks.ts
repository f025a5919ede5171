import type { StreamChunk } from "@troupe/core";
import { createId } from "@troupe/core/adapter";
import type { PlannedCall, Reply } from "./reply.ts";

/** The reply as it is streamed: word by word, then call by call. */
export function* replyChunks({ text, calls }: Reply): Generator<StreamChunk> {
  for (const word of text.match(/\s*\S+|\s+$/g) ?? []) yield { type: "text", text: word };
  for (const call of calls) yield* callChunks(call);
}

function* callChunks({ name, arguments: args }: PlannedCall): Generator<StreamChunk> {
  const id = `call_${createId()}`;
  yield { type: "tool_call_start", toolCall: { id, name } };
  yield { type: "tool_call_delta", toolCallId: id, argumentsDelta: JSON.stringify(args) };
  yield { type: "tool_call_end", toolCallId: id };
}
