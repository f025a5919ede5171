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

/** The depth to which arguments may nest. A stored turn adds a few levels, and has a limit of its own. */
const maxArgumentsDepth = 48;

/** The longest id of a tool call, in UTF-16 units: there are proxies that put a vendor's state into it. */
const maxIdLength = 16_384;

/** The longest name of a tool call that is kept; no tool has one as long. */
const maxNameLength = 128;

/** The name of a call that names no tool. No tool can have it. */
const noName = "(unnamed)";

/** A model's response in its normal form: its strings are well-formed, and each of its calls can be stored. */
export type NormalResponse = Omit<ModelResponse, "malformedArguments"> & { malformedArguments?: MalformedArguments[] };

/**
 * Returns a model's response in its normal form, because a model may write anything, and a provider of a third party may
 * report no tokens or give two calls one id. Arguments that no turn could store count as malformed, so that their call is
 * not executed. A response without a finish reason is `model_failed`.
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

/** State of a vendor goes back in requests, whose strings must be well-formed: some vendors refuse them otherwise. */
function soundState(state: VendorState): VendorState | undefined {
  if (!isStorable(state, deepestState)) return undefined;
  return isWellFormed(state) ? state : toStorable(state);
}

type Arguments = ToolCall["arguments"];
type Calls = Pick<NormalResponse, "toolCalls" | "malformedArguments">;

/** Keeps the first call with each id. A call without an id, or with one that cannot be kept, gets one. */
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

/** Returns the id of a call as the model gave it. Some number their calls; anything else is no id. */
export function readCallId(id: unknown): string {
  if (typeof id === "number") return String(id);
  return typeof id === "string" ? id : "";
}

/** True for the id of a call that every storage and every vendor's request takes. */
export function isSoundCallId(id: string): boolean {
  return id !== "" && id.length <= maxIdLength && id.isWellFormed();
}

/** Returns the name of a call as it is kept: whatever a model writes as a name, a string that is not empty. */
export function soundToolName(name: unknown): string {
  const text = typeof name === "number" ? String(name) : cutText(soundText(name), maxNameLength);
  return text === "" ? noName : text;
}

/** The depth to which a vendor's state may nest. A stored turn and a log of a run add a few levels, and have a limit of their own. */
const deepestState = 48;

/** Tells if a storage returns a value as it was: another would be refused by its vendor. */
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
