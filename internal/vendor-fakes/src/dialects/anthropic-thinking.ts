import type { Asked } from "../dialect.ts";
import { objectOf, objectsIn, textOf, wordOf } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { isRecorded, sign } from "../signature.ts";
import { modelTraits } from "./anthropic-models.ts";
import type { TurnBlock, TurnBlocks } from "../turn-blocks.ts";

/** Whether a request turns thinking on. */
export function isThinkingOn(body: unknown): boolean {
  return ["enabled", "adaptive"].includes(wordOf(objectOf(objectOf(body)["thinking"])["type"]));
}

/**
 * The answer with the thinking that this request gets to read: what is not to be displayed comes without words, and a
 * model that thinks does so before it calls a tool, whether the script says it or not.
 */
export function withThinking(parts: TurnBlocks, { route, request }: Asked): TurnBlock[] {
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

/** The signature of a thinking block in the answer to this request. */
export function signThinking(thinking: string, body: unknown): string {
  return sign("thinking", thinking) + sign("prefix", prefixOf(body));
}

/** Whether a block in the message of this index is as it was issued; the newest models look at what stood before it, too. */
export function isIssuedThinking(block: JsonObject, body: JsonObject, index: number): boolean {
  const signature = wordOf(block["signature"]);
  if (isRecorded(signature)) return true;
  const messages = objectsIn(body["messages"]).slice(0, index);
  const expected = signThinking(wordOf(block["thinking"]), { ...body, messages });
  const isBound = modelTraits(wordOf(body["model"])).bindsThinking;
  return isBound ? signature === expected : signature.slice(0, 24) === expected.slice(0, 24);
}

/** What an answer rests on. Marks for the cache are none of it, and text is text in either form. */
function prefixOf(body: unknown): string {
  const { system, tools, messages } = objectOf(body);
  const spelled = objectsIn(messages).map(({ role, content }) => ({ role, content: blocksOf(content) }));
  return JSON.stringify({ system: blocksOf(system), tools, messages: spelled }, (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
}

function blocksOf(content: unknown): unknown {
  const text = textOf(content);
  return text === undefined ? content : [{ type: "text", text }];
}
