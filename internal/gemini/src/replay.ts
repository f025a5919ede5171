import type { FunctionCall, Part } from "@google/genai/web";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";

import { isHosted } from "./sources.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * Returns the `vendorState` of an answer, which the run's next model call sends back. It consists of the answer's
 * parts, if they have signatures or the vendor's call ids. Parts with calls of the vendor's own tools are also sent in
 * later turns. Otherwise returns `undefined`.
 */
export function toVendorState(parts: readonly Part[], { providerId, modelId }: ModelName): VendorState | undefined {
  const isMarked = parts.some(({ thoughtSignature, functionCall }) => thoughtSignature ?? functionCall?.id);
  const stored = parts.some(isHosted);
  if (!isMarked && !stored) return undefined;
  return { providerId, modelId, items: parts.filter((part) => !isBlank(part)), ...(stored && { stored }) };
}

/**
 * Returns the original parts of an assistant message to send back, if this model made them and the message still has
 * the same tool calls. Otherwise returns `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): Part[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  if (!Array.isArray(state.items)) return undefined;
  const parts = state.items as readonly Part[];
  const called = callsIn(parts).map(({ name }) => name);
  // Tool calls are compared by name and not by id, because a call with a missing or repeated id got a new id.
  const kept = (message.toolCalls ?? []).map(({ name }) => name);
  return called.join("\n") === kept.join("\n") ? parts.map(withLegalName) : undefined;
}

function withLegalName(part: Part): Part {
  const { functionCall } = part;
  const { name } = functionCall ?? {};
  if (name === undefined || name === toLegalName(name)) return part;
  return { ...part, functionCall: { ...functionCall, name: toLegalName(name) } };
}

/** Converts a tool name of another vendor, or an invented name, to a name that Gemini accepts. */
export function toLegalName(name: string): string {
  const legal = name.replace(/[^\w.:-]/g, "_");
  return (/^[A-Za-z_]/.test(legal) ? legal : `_${legal}`).slice(0, 128);
}

/** Returns the tool calls among the parts of an answer, in their order. */
export function callsIn(parts: readonly Part[]): FunctionCall[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

/** Returns true for a part with an empty text, which the vendor refuses unless it is signed. */
function isBlank({ text, thoughtSignature }: Part): boolean {
  return text === "" && thoughtSignature === undefined;
}
