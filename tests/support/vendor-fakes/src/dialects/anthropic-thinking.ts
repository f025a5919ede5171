import type { RoutedRequest } from "../dialect.ts";
import { objectOf, objectsIn, stringOf, stringOrEmpty } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded, sign } from "../signature.ts";
import { modelTraits } from "./anthropic-models.ts";
import type { AnswerBlock, AnswerBlocks } from "../answer-blocks.ts";

/** Returns true if thinking is enabled for the answer to a request. */
export function isThinkingOn(body: unknown): boolean {
  return ["enabled", "adaptive"].includes(stringOrEmpty(objectOf(objectOf(body)["thinking"])["type"]));
}

/**
 * Returns the blocks of an answer with the thinking that the request may read. Hidden thinking has no text. A model
 * with thinking enabled thinks before each tool call, even if no thought was planned.
 */
export function withThinking(parts: AnswerBlocks, { route, request }: RoutedRequest): AnswerBlock[] {
  const others = parts.blocks.filter(({ type }) => type !== "thinking");
  const calls = others.some(({ type }) => type === "call");
  if (!parts.isReasoned && !(calls && isThinkingOn(request.body))) return others;
  const thinking = parts.blocks.flatMap((block) => (block.type === "thinking" ? block.pieces : []));
  return [{ type: "thinking", pieces: isDisplayed(request.body, route.modelId) ? thinking : [] }, ...others];
}

function isDisplayed(body: unknown, modelId: string): boolean {
  const { type, display } = objectOf(objectOf(body)["thinking"]);
  return type !== "adaptive" || (display ?? (modelId.includes("-4-6") ? "summarized" : "omitted")) === "summarized";
}

/** Returns the signature of a thinking block in the answer to a request. */
export function signThinking(thinking: string, body: unknown): string {
  return sign("thinking", thinking) + sign("prefix", prefixOf(body));
}

/** Returns true for an unchanged thinking block. The newest models also check the messages before it. */
export function isIssuedThinking(block: JsonObject, body: JsonObject, index: number): boolean {
  const signature = stringOrEmpty(block["signature"]);
  if (isRecorded(signature)) return true;
  const messages = objectsIn(body["messages"]).slice(0, index);
  const expected = signThinking(stringOrEmpty(block["thinking"]), { ...body, messages });
  const isBound = modelTraits(stringOrEmpty(body["model"])).bindsThinking;
  return isBound ? signature === expected : signature.slice(0, 24) === expected.slice(0, 24);
}

/** Returns the content that an answer depends on, without cache marks and with all text in one form. */
function prefixOf(body: unknown): string {
  const { system, tools, messages } = objectOf(body);
  const spelled = objectsIn(messages).map(({ role, content }) => ({ role, content: blocksOf(content) }));
  return JSON.stringify({ system: blocksOf(system), tools, messages: spelled }, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
}

function blocksOf(content: unknown): unknown {
  const text = stringOf(content);
  return text === undefined ? content : [{ type: "text", text }];
}
