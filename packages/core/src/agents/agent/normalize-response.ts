import { TroupeError } from "../../base/errors/troupe-error.ts";
import { normalizeUsage } from "../../model/normalize-usage.ts";
import type { ToolCall } from "../../base/message/tool-call.ts";
import type { ModelResponse } from "../../model/model-response.ts";
import type { VendorState } from "../../model/vendor-state.ts";
import { answerTooLong, maxAnswerLength } from "../../model/answer-length.ts";
import { describeJsonProblem } from "../../schema/json-limits.ts";
import { toStorable } from "../../sessions/storage/to-storable.ts";
import type { MalformedArguments } from "../tool/execute-call.ts";
import { createId } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { soundDetails } from "./sound-details.ts";
import { cutText } from "../../base/util/cut-text.ts";

/** The maximum nesting depth of tool call arguments. A stored turn adds a few levels and has a limit of its own. */
const maxArgumentsDepth = 48;

/**
 * The maximum length of a tool call's id, in UTF-16 units. It is large because some proxies put a vendor's state into
 * the id.
 */
const maxIdLength = 16_384;

/** The maximum length of a tool call's name. No tool has a longer name. */
const maxNameLength = 128;

/** The name given to a call that names no tool. No real tool can have this name. */
const noName = "(unnamed)";

/** A model's response in normal form: its strings are well-formed, and all its calls can be stored. */
export type NormalResponse = Omit<ModelResponse, "malformedArguments"> & { malformedArguments?: MalformedArguments[] };

/**
 * Returns a model's response in normal form. A model may write anything, and a third party's provider may omit usage or
 * use one id for two calls. Arguments that no turn could store count as malformed, so their call is not executed.
 * Throws `model_failed` for a response that has no finish reason or is too long.
 */
export function normalizeResponse(response: ModelResponse): NormalResponse {
  if (typeof response?.finishReason !== "string") {
    throw new TroupeError("model_failed", "The model's answer ended before it was complete.");
  }
  const { text, thinking, vendorState, toolCalls, malformedArguments } = response;
  const state = vendorState === undefined ? undefined : soundState(vendorState);
  if (lengthOf(text) + lengthOf(thinking) > maxAnswerLength) throw answerTooLong();
  return {
    text: soundText(text),
    usage: normalizeUsage(response.usage),
    ...soundDetails(response),
    ...(thinking !== undefined && { thinking: soundText(thinking) }),
    ...(state !== undefined && { vendorState: state }),
    ...soundCalls(toolCalls, malformedArguments),
  };
}

function lengthOf(text: unknown): number {
  return typeof text === "string" ? text.length : 0;
}

function soundText(text: unknown): string {
  return typeof text === "string" ? text.toWellFormed() : "";
}

/**
 * Makes the strings of a vendor's state well-formed; `undefined` for a state that cannot be stored. The state is sent
 * back in requests, and some vendors reject malformed strings.
 */
function soundState(state: VendorState): VendorState | undefined {
  if (!isStorable(state, deepestState)) return undefined;
  return isWellFormed(state) ? state : toStorable(state);
}

type Arguments = ToolCall["arguments"];
type Calls = Pick<NormalResponse, "toolCalls" | "malformedArguments">;

/** Keeps only the first tool call of each id. A call whose id is missing or unusable gets a new id. */
function soundCalls(calls: unknown, malformed: ModelResponse["malformedArguments"] = []): Calls {
  if (!Array.isArray(calls) || calls.length === 0) return { toolCalls: [] };
  const texts = new Map(malformed.map(({ toolCallId, text }) => [readCallId(toolCallId), text]));
  const toolCalls: ToolCall[] = [];
  const malformedArguments: MalformedArguments[] = [];
  for (const { given, name, args } of distinctCalls(calls)) {
    const id = isSoundCallId(given) ? given : createId();
    const wrong = malformedOf(id, texts.get(given), args);
    if (wrong !== undefined) malformedArguments.push(wrong);
    toolCalls.push({ id, name: soundToolName(name), arguments: wrong === undefined ? (args as Arguments) : {} });
  }
  return malformedArguments.length === 0 ? { toolCalls } : { toolCalls, malformedArguments };
}

function distinctCalls(calls: readonly unknown[]): { given: string; name: unknown; args: unknown }[] {
  const known = new Set<string>();
  const read = calls.filter(isRecord).map(({ id, name, arguments: args }) => ({ given: readCallId(id), name, args }));
  return read.filter(({ given }) => given === "" || (!known.has(given) && known.add(given)));
}

function malformedOf(toolCallId: string, text: string | undefined, args: unknown): MalformedArguments | undefined {
  if (text !== undefined) return { toolCallId, text };
  const problem = isRecord(args) ? describeJsonProblem(args, maxArgumentsDepth) : "is not an object";
  return problem === undefined ? undefined : { toolCallId, text: "", problem };
}

/** Returns the id of a tool call as the model gave it, a string or a number; empty for any other value. */
export function readCallId(id: unknown): string {
  if (typeof id === "number") return String(id);
  return typeof id === "string" ? id : "";
}

/** Returns true for a tool call's id that every storage and every vendor's request accepts. */
export function isSoundCallId(id: string): boolean {
  return id !== "" && id.length <= maxIdLength && id.isWellFormed();
}

/** Returns the name of a tool call in the form in which it is stored: a non-empty string, whatever the model wrote. */
export function soundToolName(name: unknown): string {
  const text = typeof name === "number" ? String(name) : cutText(soundText(name), maxNameLength);
  return text === "" ? noName : text;
}

/**
 * The maximum nesting depth of a vendor's state. A stored turn and a run log add a few levels and have a limit of their
 * own.
 */
const deepestState = 48;

/**
 * Returns true if a storage returns a vendor's state unchanged, which depends on its numbers and its nesting depth. A
 * vendor rejects a changed state.
 */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((part) => isStorable(part, depth - 1));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, part]) => name.isWellFormed() && isWellFormed(part));
}
