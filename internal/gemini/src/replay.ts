import type { FunctionCall, Part } from "@google/genai/web";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";

import { isHosted } from "./sources.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the `vendorState` of an answer, which the next model call of the run sends back: the parts, when they have
 * signatures or the vendor's call ids. Those with calls of the vendor's own tools go back in later turns too. Else `undefined`.
 */
export function toVendorState(parts: readonly Part[], { providerId, modelId }: ModelName): VendorState | undefined {
  const isMarked = parts.some(({ thoughtSignature, functionCall }) => thoughtSignature ?? functionCall?.id);
  const stored = parts.some(isHosted);
  if (!isMarked && !stored) return undefined;
  return { providerId, modelId, items: parts.filter((part) => !isBlank(part)), ...(stored && { stored }) };
}

/**
 * Returns the original parts of an assistant message, to send them back, if this model made them and the
 * message still has the same tool calls. Else `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): Part[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  if (!Array.isArray(state.items)) return undefined;
  const parts = state.items as readonly Part[];
  const called = callsIn(parts).map(({ name }) => name);
  // By name and not by id: a call with a repeated id got another one here.
  const kept = (message.toolCalls ?? []).map(({ name }) => name);
  return called.join("\n") === kept.join("\n") ? parts.map(withLegalName) : undefined;
}

function withLegalName(part: Part): Part {
  const { functionCall } = part;
  const { name } = functionCall ?? {};
  if (name === undefined || name === toLegalName(name)) return part;
  return { ...part, functionCall: { ...functionCall, name: toLegalName(name) } };
}

/** Converts a tool name of another vendor, or one that a model made up, to one that Gemini takes. */
export function toLegalName(name: string): string {
  const legal = name.replace(/[^\w.:-]/g, "_");
  return (/^[A-Za-z_]/.test(legal) ? legal : `_${legal}`).slice(0, 128);
}

/** Returns the tool calls among the parts of an answer, in their order. */
export function callsIn(parts: readonly Part[]): FunctionCall[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

/** The vendor refuses an empty text, unless it is signed. */
function isBlank({ text, thoughtSignature }: Part): boolean {
  return text === "" && thoughtSignature === undefined;
}
