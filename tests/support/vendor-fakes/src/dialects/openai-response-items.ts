import type { RoutedRequest } from "../dialect.ts";
import { objectOf, stringOrEmpty } from "../json-body.ts";
import { sign } from "../signature.ts";
import { callsIn, textIn } from "../answer-blocks.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";
import { annotationsOf, hostedItems } from "./openai-hosted.ts";
import type { HostedItem } from "./openai-hosted.ts";

/** A complete item of an answer. */
export type ResponseItem =
  | HostedItem
  | { id: string; type: "reasoning"; summary: { type: "summary_text"; text: string }[]; encrypted_content: string }
  | {
      id: string;
      type: "message";
      status: "completed";
      content: { type: "output_text"; annotations: object[]; logprobs: []; text: string }[];
      phase: "commentary" | "final_answer";
      role: "assistant";
    }
  | { id: string; type: "function_call"; status: "completed"; arguments: string; call_id: string; name: string };

/** Returns the items of an answer. Their ids depend on the request, so no two answers of a run share one. */
export function toItems(parts: AnswerBlocks, { request }: RoutedRequest): ResponseItem[] {
  const seed = sign("response", request.body);
  const calls = callsIn(parts);
  const text = textIn(parts, "text");
  return [
    ...(parts.isReasoned
      ? [{ ...reasoningItem(seed, summaryFor(parts, request.body)), ...statusOf(request.body) }]
      : []),
    ...hostedItems(parts, seed, request.body),
    ...(text === "" ? [] : [messageItem(seed, { text, annotations: annotationsOf(parts, text) }, calls.length > 0)]),
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

/**
 * Returns the id of the reasoning item that a call requires, including calls of the vendor's own tools. `undefined` if
 * the call was issued without reasoning.
 */
export function reasoningIdOf(itemId: string): string | undefined {
  const seed = /^(?:fc|ws|ci)_r_([0-9a-f]+)_/.exec(itemId)?.[1];
  return seed === undefined ? undefined : `rs_${seed}`;
}

/** Returns the encrypted content of a reasoning item. */
export function encryptedContent(id: string, summary: string): string {
  return `gAAAA${sign("reasoning", id, summary)}`;
}

function functionCallId(seed: string, index: number, isReasoned: boolean): string {
  return `fc_${isReasoned ? "r_" : ""}${seed}_${index}`;
}

// A summary is returned only when it is requested.
function summaryFor(parts: AnswerBlocks, body: unknown): string {
  const { summary } = objectOf(objectOf(body)["reasoning"]);
  return typeof summary === "string" ? textIn(parts, "thinking") : "";
}

/** Returns the status of a reasoning item, which xAI always sends, and OpenAI never. */
function statusOf(body: unknown): object {
  return stringOrEmpty(objectOf(body)["model"]).startsWith("grok") ? { status: "completed" } : {};
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

function messageItem(seed: string, said: { text: string; annotations: object[] }, isFollowed: boolean): ResponseItem {
  return {
    id: `msg_${seed}`,
    type: "message",
    status: "completed",
    content: [{ type: "output_text", logprobs: [], ...said }],
    phase: isFollowed ? "commentary" : "final_answer",
    role: "assistant",
  };
}
