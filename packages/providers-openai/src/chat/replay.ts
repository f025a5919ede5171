import { readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import { providerId } from "../options.ts";
import type { WireMessage } from "./wire-types.ts";

type Fields = { reasoning_content?: string; reasoning?: string; reasoning_details?: unknown[] };
type Kept = { fields: Fields };

/**
 * Collects the thinking of an answer under the field names of its server as `vendorState`, which the next model call of
 * the run sends back.
 */
export class ThinkingCollector {
  readonly #fields: Fields = {};

  /** Adds the thinking of a message or delta, and returns the new text. */
  add(message: WireMessage): string {
    const [content, reasoning] = [readText(message.reasoning_content), readText(message.reasoning)];
    const { reasoning_details: details } = message as { reasoning_details?: unknown[] | null };
    if (content) this.#fields.reasoning_content = (this.#fields.reasoning_content ?? "") + content;
    if (reasoning) this.#fields.reasoning = (this.#fields.reasoning ?? "") + reasoning;
    if (Array.isArray(details)) (this.#fields.reasoning_details ??= []).push(...details);
    // The same text under both names counts once.
    return content || reasoning;
  }

  /** The state that the next request of the run sends back. */
  toVendorState(modelId: string): VendorState | undefined {
    const kept: Kept = { fields: this.#fields };
    return Object.keys(this.#fields).length === 0 ? undefined : { providerId, modelId, items: kept };
  }
}

/**
 * Returns the fields of thinking with which an assistant message is sent back, if this model made it. Else an empty
 * object.
 */
export function replayedThinking(message: ModelMessage, modelId: string): Fields {
  const kept = vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined;
  return kept?.fields ?? {};
}
