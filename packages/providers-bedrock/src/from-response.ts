import type { ModelResponse, Source, ToolCall } from "@troupe/core";
import { createId, readObject, readObjects, readText } from "@troupe/core/kit";
import { noUsage, TruncatedResponseError } from "@troupe/core/provider";
import { toReasoning, toVendorState } from "./replay.ts";
import type { ReplayBlock } from "./replay.ts";
import { citedSource } from "./sources.ts";
import { toFinishReason } from "./to-finish-reason.ts";
import { toUsage } from "./to-usage.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The parts of a whole answer. */
type Parts = {
  text: string;
  thinking: string;
  toolCalls: ToolCall[];
  skippedCalls: number;
  sources: Source[];
  replay: ReplayBlock[];
};

/**
 * Converts the JSON of a whole answer to a `ModelResponse`. Throws `TruncatedResponseError` if it has no content or no
 * stop reason.
 */
export function fromResponse(body: unknown, model: { providerId: string; modelId: string }): ModelResponse {
  const { output, stopReason, usage } = readObject(body);
  const { content } = readObject(readObject(output)["message"]);
  const reason = readText(stopReason);
  if (!Array.isArray(content) || reason === "") throw new TruncatedResponseError("sent an answer without its end");
  const parts: Parts = { text: "", thinking: "", toolCalls: [], skippedCalls: 0, sources: [], replay: [] };
  for (const block of readObjects(content)) readBlock(block, parts);
  const { text, thinking, toolCalls, skippedCalls, sources, replay } = parts;
  const vendorState = toVendorState(replay, model);
  return {
    text,
    toolCalls,
    ...(thinking !== "" && { thinking }),
    ...(sources.length > 0 && { sources }),
    ...(skippedCalls > 0 && { skippedCalls }),
    usage: toUsage(usage) ?? noUsage,
    finishReason: toFinishReason(reason, toolCalls.length > 0),
    ...(vendorState !== undefined && { vendorState }),
  };
}

function readBlock(block: Fields, parts: Parts): void {
  const { text, toolUse, reasoningContent, citationsContent } = block;
  if (typeof text === "string") addText(text, parts);
  if (isGiven(toolUse)) addCall(readObject(toolUse), parts);
  if (isGiven(reasoningContent)) addReasoning(readObject(reasoningContent), parts);
  if (!isGiven(citationsContent)) return;
  const { content, citations } = readObject(citationsContent);
  for (const part of readObjects(content)) addText(readText(part["text"]), parts);
  parts.sources.push(...readObjects(citations).flatMap(citedSource));
}

function addText(text: string, parts: Parts): void {
  parts.text += text;
  parts.replay.push({ text });
}

/** Adds a tool call. A call without a name is dropped: it can neither be executed nor sent back. */
function addCall({ toolUseId, name, input }: Fields, parts: Parts): void {
  const called = readText(name);
  if (called === "") {
    parts.skippedCalls += 1;
    return;
  }
  const id = readText(toolUseId) || newCallId();
  const args = { ...readObject(input) };
  parts.toolCalls.push({ id, name: called, arguments: args });
  parts.replay.push({ toolUse: { toolUseId: id, name: called, input: args } });
}

function addReasoning({ reasoningText, redactedContent }: Fields, parts: Parts): void {
  const { text, signature } = readObject(reasoningText);
  const said = readText(text);
  parts.thinking += said;
  parts.replay.push(...toReasoning(said, signature, redactedContent));
}

/** Returns true if a member of a union is present. Some gateways send an absent member as `null`. */
export function isGiven(member: unknown): boolean {
  return member !== undefined && member !== null;
}

/** Returns an id for a tool call that the vendor sent without an id. */
export function newCallId(): string {
  return `tooluse_${createId().replaceAll("-", "")}`;
}
