import { TroupeError } from "@troupe/core";
import type { ChatMessage, ContentPart, ToolCall } from "@troupe/core";
import { readContentData } from "@troupe/core/kit";
import type { ModelMessage, PartReader } from "@troupe/core/provider";
import { replayOf } from "./replay.ts";
import type { WireContent, WirePart, WireTurn } from "./wire-types.ts";

/** The model of a request, and the reader of its message parts. */
export type TurnContext = { model: { providerId: string; modelId: string }; parts: PartReader };

const imageTypes = ["image/png", "image/jpeg"];

/**
 * Converts a conversation, whatever is wrong with it: the user begins and ends it, unless a result does, every call has one
 * result right after it, and no two calls share an id. Throws `invalid_request` when the user says nothing.
 */
export function toTurns(messages: readonly ModelMessage[], context: TurnContext): WireTurn[] {
  const turns: WireTurn[] = [];
  const history: History = {
    messages,
    results: new Set(messages.filter(({ role }) => role === "tool")),
    ids: new Set(),
  };
  for (const [index, message] of messages.entries()) {
    if (message.role === "user") turns.push(...toUserTurn(message, context));
    // The user begins.
    if (message.role === "assistant" && turns.length > 0) turns.push(...toModelTurns(index, history, context));
  }
  if (turns.length === 0) {
    const sentence = `${context.model.providerId} needs at least one user message that is not empty.`;
    throw new TroupeError("invalid_request", sentence);
  }
  if (turns.at(-1)?.by === "model") turns.push({ by: "user", say: [{ text: "Continue." }] });
  return turns;
}

/** A conversation, its results that no call has taken yet, and the ids of the calls so far. */
type History = { messages: readonly ModelMessage[]; results: Set<ChatMessage>; ids: Set<string> };

/** Converts the answer at an index, and the results of its calls. */
function toModelTurns(index: number, history: History, context: TurnContext): WireTurn[] {
  const message = history.messages[index] as ModelMessage;
  const calls = (message.toolCalls ?? []).map((call) => ({ call, id: freeId(call.id, history.ids) }));
  const parts = withIds(replayOf(message, context.model) ?? toParts(message, context), calls);
  const results = calls.map(({ call, id }): WireTurn => {
    const result = takeResult(call, history.messages.slice(index + 1), history.results);
    return { by: "tool", call: id, result: result === undefined ? "not executed" : context.parts.readText(result) };
  });
  return parts.length === 0 ? [] : [{ by: "model", parts }, ...results];
}

/** Converts a tool name of another vendor to one that this vendor takes. */
function toLegalName(name: string): string {
  return name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}

function toUserTurn(message: ChatMessage, context: TurnContext): WireTurn[] {
  const read = context.parts.read(message, (part) => toContent(part, context));
  const say = read.filter((content) => !("text" in content) || content.text.trim() !== "");
  return say.length === 0 ? [] : [{ by: "user", say }];
}

function toContent(part: ContentPart, { model }: TurnContext): WireContent {
  if (part.type === "text") return { text: part.text };
  const data = readContentData(part);
  const fields = { vendor: model.providerId, model: model.modelId, part: part.type };
  if (data.kind === "invalid") {
    throw new TroupeError("invalid_request", `The data of the ${part.type} part ${data.reason}.`, { fields });
  }
  if (part.type === "image" && data.kind === "url") return { image: { url: data.url } };
  const { mimeType = "" } = data;
  if (part.type === "image" && data.kind === "base64" && imageTypes.includes(mimeType))
    return { image: { type: mimeType, base64: data.base64 } };
  const sentence = `${model.providerId}'s ${model.modelId} takes text and images (PNG, JPEG), and no ${part.type} part like this.`;
  throw new TroupeError("unsupported_media_type", sentence, { fields });
}

function toParts(message: ModelMessage, { parts }: TurnContext): WirePart[] {
  const text = parts.readText(message);
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: args }) => {
    return { call: { id, name: toLegalName(name), args: JSON.stringify(args) } };
  });
  return text.trim() === "" ? calls : [{ text }, ...calls];
}

/** Gives the calls among the parts their ids in this request, in order. */
function withIds(parts: readonly WirePart[], calls: readonly { id: string }[]): WirePart[] {
  const ids = calls.map(({ id }) => id);
  return parts.map((part) => ("call" in part ? { call: { ...part.call, id: ids.shift() ?? part.call.id } } : part));
}

function freeId(id: string, taken: Set<string>): string {
  let free = id === "" ? "call" : id;
  for (let number = 2; taken.has(free); number += 1) free = `${id}-${number}`;
  taken.add(free);
  return free;
}

/** Takes the result of a call out of the messages before the next answer. */
function takeResult(
  { id }: ToolCall,
  later: readonly ChatMessage[],
  results: Set<ChatMessage>,
): ChatMessage | undefined {
  const end = later.findIndex(({ role }) => role === "assistant");
  const between = end === -1 ? later : later.slice(0, end);
  const result = between.find((message) => message.toolCallId === id && results.has(message));
  if (result !== undefined) results.delete(result);
  return result;
}
