import type { Asked } from "../dialect.ts";
import { objectOf } from "../json-body.ts";
import { sign } from "../signature.ts";
import { callsIn, textIn } from "../turn-blocks.ts";
import type { TurnBlocks } from "../turn-blocks.ts";

/** One item of an answer, as the vendor sends it when it is done. */
export type ResponseItem =
  | { id: string; type: "reasoning"; summary: { type: "summary_text"; text: string }[]; encrypted_content: string }
  | {
      id: string;
      type: "message";
      status: "completed";
      content: { type: "output_text"; annotations: []; logprobs: []; text: string }[];
      phase: "commentary" | "final_answer";
      role: "assistant";
    }
  | { id: string; type: "function_call"; status: "completed"; arguments: string; call_id: string; name: string };

/** The items of an answer. Their ids follow from the request, so that no two answers of a run share one. */
export function toItems(parts: TurnBlocks, { request }: Asked): ResponseItem[] {
  const seed = sign("response", request.body);
  const calls = callsIn(parts);
  const text = textIn(parts, "text");
  return [
    ...(parts.isReasoned ? [reasoningItem(seed, summaryFor(parts, request.body))] : []),
    ...(text === "" ? [] : [messageItem(seed, text, calls.length > 0)]),
    ...calls.map(({ id, name, pieces }, index) => ({
      id: functionCallId(seed, index, parts.isReasoned),
      type: "function_call" as const,
      status: "completed" as const,
      arguments: pieces.join(""),
      call_id: id,
      name,
    })),
  ];
}

/** The reasoning item without which a call of this id is not understood, if it came with one. */
export function reasoningIdOf(itemId: string): string | undefined {
  const seed = /^fc_r_([0-9a-f]+)_/.exec(itemId)?.[1];
  return seed === undefined ? undefined : `rs_${seed}`;
}

/** What a reasoning item holds for the vendor alone. */
export function encryptedContent(id: string, summary: string): string {
  return `gAAAA${sign("reasoning", id, summary)}`;
}

function functionCallId(seed: string, index: number, isReasoned: boolean): string {
  return `fc_${isReasoned ? "r_" : ""}${seed}_${index}`;
}

// A summary is written only for those who ask.
function summaryFor(parts: TurnBlocks, body: unknown): string {
  const { summary } = objectOf(objectOf(body)["reasoning"]);
  return typeof summary === "string" ? textIn(parts, "thinking") : "";
}

function reasoningItem(seed: string, text: string): ResponseItem {
  const id = `rs_${seed}`;
  return {
    id,
    type: "reasoning",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    encrypted_content: encryptedContent(id, text),
  };
}

function messageItem(seed: string, text: string, isFollowed: boolean): ResponseItem {
  return {
    id: `msg_${seed}`,
    type: "message",
    status: "completed",
    content: [{ type: "output_text", annotations: [], logprobs: [], text }],
    phase: isFollowed ? "commentary" : "final_answer",
    role: "assistant",
  };
}
