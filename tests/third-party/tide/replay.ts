import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import type { WirePart } from "./wire-types.ts";

type ModelName = { readonly providerId: string; readonly modelId: string };

/** Returns the `vendorState` of an answer with reasoning, which the next model call of the run sends back. */
export function toVendorState(parts: readonly WirePart[], model: ModelName): VendorState | undefined {
  if (!parts.some((part) => "seal" in part)) return undefined;
  return { providerId: model.providerId, modelId: model.modelId, items: parts };
}

/** Returns the parts of an answer as they came, if this model made them and the message has the same calls. */
export function replayOf(message: ModelMessage, model: ModelName): WirePart[] | undefined {
  const parts = vendorStateOf(message, model)?.items as WirePart[] | undefined;
  const called = parts?.flatMap((part) => ("call" in part ? [part.call.id] : []));
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  return called?.join("\n") === kept.join("\n") ? parts : undefined;
}
