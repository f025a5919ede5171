import { createHash } from "node:crypto";
import { isObject, objectOf, objectsIn, stringOrEmpty } from "@troupe-internal/vendor-fakes";
import type { JsonObject, OwnDialect } from "@troupe-internal/vendor-fakes";
import type { TokenUsage } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { scriptedChunks, scriptedUsage } from "@troupe/core/testing";

const kinds: Readonly<Record<number, string>> = { 400: "bad_request", 401: "bad_key", 429: "too_many", 503: "busy" };
const reasons: Readonly<Record<string, string>> = {
  stop: "end",
  tool_calls: "calls",
  length: "limit",
  content_filter: "withheld",
};
const requestFields = "model turns stream brief tools use reason shape limit heat until".split(" ");

const frame = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;
const seal = (reasoning: string): string => createHash("sha256").update(`tide ${reasoning}`).digest("hex");

function problem({ status, message = "No." }: { status: number; message?: string }): object {
  return { problem: { kind: kinds[status] ?? "broken", words: message } };
}

/** The events of an answer. A model that is asked to reason seals its reasoning, also one without words, before its calls. */
function eventsOf(chunks: readonly ModelChunk[], body: JsonObject): object[] {
  const events: object[] = [{ t: "begin", id: "tide-1", model: body["model"] }];
  const thinking = chunks.flatMap((chunk) => (chunk.type === "thinking" ? [chunk.text] : []));
  const numbers = new Map<string, number>();
  if (body["reason"] !== undefined || thinking.length > 0) {
    events.push(...thinking.map((text) => ({ t: "reasoning", text })), { t: "seal", seal: seal(thinking.join("")) });
  }
  for (const chunk of chunks) events.push(...eventsFor(chunk, numbers));
  return events;
}

function eventsFor(chunk: ModelChunk, numbers: Map<string, number>): object[] {
  switch (chunk.type) {
    case "text":
      return [{ t: "text", text: chunk.text }];
    case "tool_call_start":
      numbers.set(chunk.toolCall.id, numbers.size);
      return [{ t: "call", n: numbers.size - 1, ...chunk.toolCall }];
    case "tool_call_delta":
      return [{ t: "args", n: numbers.get(chunk.toolCallId), piece: chunk.argumentsDelta }];
    case "finish":
      return [{ t: "stop", why: reasons[chunk.finishReason] ?? "end" }, tokensOf(chunk.usage), { t: "over" }];
    default:
      return [];
  }
}

function tokensOf(usage: TokenUsage = scriptedUsage): object {
  const { promptTokens, completionTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  const tokens = { in: promptTokens, out: completionTokens, cached: cachedTokens, reasoning: reasoningTokens };
  return { t: "tokens", tokens };
}

/** The same answer as a whole. */
function wholeOf(events: readonly object[]): object {
  const parts: Record<string, unknown>[] = [];
  const whole: Record<string, unknown> = { parts };
  const calls: { args: string }[] = [];
  let reasoning = "";
  const writers: Record<string, (fields: JsonObject) => void> = {
    begin: (fields) => void Object.assign(whole, fields),
    tokens: (fields) => void Object.assign(whole, fields),
    reasoning: ({ text }) => void (reasoning += stringOrEmpty(text)),
    seal: (fields) => void parts.push({ reasoning, ...fields }),
    text: (fields) => void parts.push({ ...fields }),
    call: ({ id, name }) => {
      const call = { id, name, args: "" };
      calls.push(call);
      parts.push({ call });
    },
    args: ({ n, piece }) => void Object.assign(calls[Number(n)] ?? {}, { args: argsAfter(calls[Number(n)], piece) }),
    stop: ({ why }) => void (whole["stop"] = why),
  };
  for (const { t, ...fields } of events.map(objectOf)) writers[stringOrEmpty(t)]?.(fields);
  return whole;
}

function argsAfter(call: { args: string } | undefined, piece: unknown): string {
  return `${call?.args ?? ""}${stringOrEmpty(piece)}`;
}

/** The faults for which the vendor would refuse a request. */
function* faultsIn(body: JsonObject): Generator<string> {
  const unknown = Object.keys(body).filter((name) => !requestFields.includes(name));
  yield* unknown.map((name) => `unknown field ${name}`);
  const turns = objectsIn(body["turns"]);
  if (turns[0]?.["by"] !== "user" || turns.at(-1)?.["by"] === "model") yield "the user begins and ends";
  const loopStart = turns.findLastIndex(({ by }) => by === "user");
  for (const [index, turn] of turns.entries()) {
    if (objectsIn(turn["say"]).some(isWrongContent)) yield "a content that is none";
    const mustReason = body["reason"] !== undefined && index > loopStart;
    if (turn["by"] === "model") yield* faultsInAnswer(objectsIn(turn["parts"]), mustReason);
  }
  yield* faultsInOrder(turns);
}

/** Every call has its result right after its answer, in order, and an id of its own. */
function* faultsInOrder(turns: readonly JsonObject[]): Generator<string> {
  const ids = turns.flatMap(callsIn).map(({ id }) => id);
  if (new Set(ids).size < ids.length) yield "a repeated id";
  let open: unknown[] = [];
  for (const turn of turns) {
    if (turn["by"] === "tool" ? open.shift() !== turn["call"] : open.length > 0) yield "calls and results do not match";
    if (turn["by"] === "model") open = callsIn(turn).map(({ id }) => id);
  }
  if (open.length > 0) yield "a call without its result";
}

function callsIn(turn: JsonObject): readonly JsonObject[] {
  return objectsIn(turn["parts"])
    .map((part) => part["call"])
    .filter(isObject);
}

function* faultsInAnswer(parts: readonly JsonObject[], mustReason: boolean): Generator<string> {
  const sealed = parts.filter((part) => "seal" in part);
  if (sealed.some((part) => part["seal"] !== seal(stringOrEmpty(part["reasoning"])))) yield "a broken seal";
  if (mustReason && sealed.length === 0) yield "calls without their reasoning";
  if (parts.length === 0 || parts.some((part) => part["text"] === "")) yield "an empty part";
  const names = callsIn({ parts }).map(({ name }) => stringOrEmpty(name));
  if (names.some((name) => !/^[\w-]{1,64}$/.test(name))) yield "a call with a wrong name";
}

function isWrongContent({ text, image }: JsonObject): boolean {
  if (text !== undefined) return stringOrEmpty(text).trim() === "";
  return (
    !isObject(image) || (image["url"] === undefined && !/^image\/(?:png|jpeg)$/.test(stringOrEmpty(image["type"])))
  );
}

/** The wire format of Tide, for `FakeVendor`. */
export const tideDialect: OwnDialect = {
  route: ({ url, body }) => {
    if (!url.endsWith("/talk")) return undefined;
    const { model, stream } = objectOf(body);
    return { kind: "chat", modelId: stringOrEmpty(model), stream: stream === true };
  },
  keyOf: ({ headers }) => headers["tide-key"],
  answer: (answer, { route, request }) => {
    const events = eventsOf([...scriptedChunks(answer)], objectOf(request.body));
    if (!route.stream) {
      const headers = { "content-type": "application/json" };
      return { status: 200, headers, frames: [JSON.stringify(wholeOf(events))] };
    }
    const headers = { "content-type": "text/event-stream" };
    return { status: 200, headers, frames: events.map(frame), endFrames: 3 };
  },
  fail: ({ retryAfterSeconds, ...failure }) => ({
    status: failure.status,
    headers: {
      "content-type": "application/json",
      ...(retryAfterSeconds !== undefined && { "retry-after": String(retryAfterSeconds) }),
    },
    frames: [JSON.stringify(problem(failure))],
  }),
  failFrame: (failure) => frame(problem(failure)),
  refuse: ({ body }) => {
    const [message] = faultsIn(objectOf(body));
    return message === undefined ? undefined : { message };
  },
};
