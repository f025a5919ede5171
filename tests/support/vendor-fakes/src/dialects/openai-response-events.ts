import type { AnswerBlocks } from "../answer-blocks.ts";
import { hostedEvents } from "./openai-hosted.ts";
import type { ResponseItem } from "./openai-response-items.ts";

/** An event of a stream without its sequence number. */
export type ResponseEvent = { type: string; [field: string]: unknown };

/** Returns the events of an item. */
export function itemEvents(item: ResponseItem, outputIndex: number, parts: AnswerBlocks): ResponseEvent[] {
  const place = { output_index: outputIndex };
  return [
    { type: "response.output_item.added", ...place, item: begun(item) },
    ...innerEvents(item, { item_id: item.id, ...place }, parts),
    { type: "response.output_item.done", ...place, item },
  ];
}

/** Returns an item as it is when it begins. Its encrypted content is complete only at its end. */
function begun(item: ResponseItem): object {
  if (item.type === "reasoning") return { ...item, summary: [], encrypted_content: "gAAAA-PARTIAL" };
  if (item.type === "web_search_call") return { ...item, action: undefined, status: "in_progress" };
  if (item.type === "code_interpreter_call") return { ...item, code: "", outputs: null, status: "in_progress" };
  const empty = item.type === "message" ? { content: [] } : { arguments: "" };
  return { ...item, ...empty, status: "in_progress" };
}

function innerEvents(item: ResponseItem, at: object, parts: AnswerBlocks): ResponseEvent[] {
  if (item.type === "reasoning")
    return item.summary.flatMap(({ text }) =>
      summaryEvents(text, { ...at, summary_index: 0 }, piecesOf(parts, "thinking")),
    );
  if (item.type === "web_search_call" || item.type === "code_interpreter_call") return hostedEvents(item, at);
  if (item.type === "message")
    return item.content.flatMap((part) => textEvents(part, { ...at, content_index: 0 }, piecesOf(parts, "text")));
  const pieces = callPieces(parts, item.call_id);
  return [
    ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta, obfuscation: "x" })),
    { type: "response.function_call_arguments.done", ...at, arguments: item.arguments },
  ];
}

function summaryEvents(text: string, at: object, pieces: readonly string[]): ResponseEvent[] {
  return [
    { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
    ...pieces.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta, obfuscation: "x" })),
    { type: "response.reasoning_summary_text.done", ...at, text },
    { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text } },
  ];
}

function textEvents(
  part: { text: string; annotations: object[] },
  at: object,
  pieces: readonly string[],
): ResponseEvent[] {
  return [
    { type: "response.content_part.added", ...at, part: { ...part, annotations: [], text: "" } },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [], obfuscation: "x" })),
    ...part.annotations.map((annotation, index) => ({
      type: "response.output_text.annotation.added",
      ...at,
      annotation_index: index,
      annotation,
    })),
    { type: "response.output_text.done", ...at, text: part.text, logprobs: [] },
    { type: "response.content_part.done", ...at, part },
  ];
}

function piecesOf({ blocks }: AnswerBlocks, type: "thinking" | "text"): string[] {
  return blocks.flatMap((block) => (block.type === type ? block.pieces : []));
}

function callPieces({ blocks }: AnswerBlocks, callId: string): string[] {
  return blocks.flatMap((block) => (block.type === "call" && block.id === callId ? block.pieces : []));
}
