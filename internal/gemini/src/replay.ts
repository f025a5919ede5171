import type { FunctionCall, Part } from "@google/genai/web";
import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";

type ModelName = { readonly providerId: string; readonly modelId: string };

/**
 * What is to come back with the next request of the run: the whole answer as it was, when the vendor signed something in it,
 * or gave its calls ids of its own.
 */
export function stateOf(parts: readonly Part[], { providerId, modelId }: ModelName): VendorState | undefined {
  const isMarked = parts.some(({ thoughtSignature, functionCall }) => thoughtSignature ?? functionCall?.id);
  if (!isMarked) return undefined;
  return { providerId, modelId, items: parts.filter((part) => !isBlank(part)) };
}

/** The answer as it was, if this model left it on the message and it still calls the same tools. */
export function replayOf(message: ModelMessage, model: ModelName): Part[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined) return undefined;
  const parts = state.items as readonly Part[];
  const called = callsIn(parts).map(({ name }) => name);
  // By their names, and not by their ids: a call whose id an earlier one had goes by another id here.
  const kept = (message.toolCalls ?? []).map(({ name }) => name);
  return called.join("\n") === kept.join("\n") ? [...parts] : undefined;
}

/** The calls among the parts of an answer, in their order. */
export function callsIn(parts: readonly Part[]): FunctionCall[] {
  return parts.flatMap(({ functionCall }) => functionCall ?? []);
}

/** Empty words are refused, unless they carry a signature. */
function isBlank({ text, thoughtSignature }: Part): boolean {
  return text === "" && thoughtSignature === undefined;
}
