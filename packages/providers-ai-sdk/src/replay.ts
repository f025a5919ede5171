import { readObject, readObjects, readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";

type ModelName = { readonly providerId: string; readonly modelId: string };

/** A part of an answer in the form in which it is sent back to the AI SDK. */
export type ReplayPart = { readonly type: string } & Readonly<Record<string, unknown>>;

/**
 * Returns the `vendorState` of an answer whose parts the vendor needs back unchanged: signatures and other metadata,
 * reasoning, and calls of the vendor's own tools with their results. Those calls are stored with the turn, because the
 * model would otherwise repeat them. Returns `undefined` if a converted message would lose nothing.
 */
export function toVendorState(
  parts: readonly ReplayPart[],
  { providerId, modelId }: ModelName,
): VendorState | undefined {
  const stored = parts.some(isHosted);
  const isNeeded = stored || parts.some((part) => part.type === "reasoning" || part["providerOptions"] !== undefined);
  if (!isNeeded) return undefined;
  return { providerId, modelId, items: parts, ...(stored && { stored }) };
}

function isHosted(part: ReplayPart): boolean {
  return part["providerExecuted"] === true || part.type === "tool-result";
}

/**
 * Returns the parts of an assistant message to send back, if this model made them and the message still has the same
 * tool calls. Otherwise returns `undefined`: the message must be converted.
 */
export function replayOf(message: ModelMessage, model: ModelName): ReplayPart[] | undefined {
  const state = vendorStateOf(message, model);
  if (state === undefined || !Array.isArray(state.items)) return undefined;
  const parts = readObjects(state.items) as ReplayPart[];
  const called = parts.filter(({ type, providerExecuted }) => type === "tool-call" && providerExecuted !== true);
  const kept = (message.toolCalls ?? []).map(({ id }) => id);
  const isSame = called.length === kept.length && called.every(({ toolCallId }, index) => toolCallId === kept[index]);
  return isSame ? parts : undefined;
}

/**
 * Converts a part of an answer to the form in which it is sent back. Returns `undefined` for parts that are not sent
 * back.
 */
export function toReplay(part: Readonly<Record<string, unknown>>): ReplayPart | undefined {
  const { providerMetadata, ...rest } = part;
  const type = readText(part["type"]);
  const kept = Object.keys(readObject(providerMetadata)).length > 0 ? { providerOptions: providerMetadata } : {};
  switch (type) {
    case "text":
      return readText(rest["text"]).trim() === "" && !("providerOptions" in kept)
        ? undefined
        : { type, text: rest["text"], ...kept };
    case "reasoning":
      return { type, text: rest["text"], ...kept };
    case "custom":
    case "reasoning-file":
      return { ...rest, type, ...kept };
    case "tool-call":
      return { ...rest, type, input: rest["input"], ...kept };
    case "tool-result":
      return toHostedResult(rest, kept);
    default:
      return undefined;
  }
}

function toHostedResult(part: Readonly<Record<string, unknown>>, kept: object): ReplayPart | undefined {
  const { toolCallId, toolName, result, isError, preliminary } = part;
  if (preliminary === true) return undefined;
  const output = { type: isError === true ? "error-json" : "json", value: result };
  return { type: "tool-result", toolCallId, toolName, output, ...kept };
}
