import { readObjects, readText } from "@troupe/core/kit";
import { vendorStateOf } from "@troupe/core/provider";
import type { ModelMessage, VendorState } from "@troupe/core/provider";
import type { ModelIdentity } from "../model-call.ts";
import type { WireMessage } from "./wire-types.ts";

type Fields = { reasoning_content?: string; reasoning?: string; reasoning_details?: unknown[] };
type Kept = { fields: Fields };

/**
 * Collects the thinking of an answer under its server's field names as `vendorState`, which the run's next model call
 * sends back.
 */
export class ThinkingCollector {
  readonly #fields: Fields = {};

  /** Adds the thinking of a message or delta, and returns its text. */
  add(message: WireMessage): string {
    const [content, reasoning] = [readText(message.reasoning_content), readText(message.reasoning)];
    const { reasoning_details: details } = message as { reasoning_details?: unknown[] | null };
    if (content) this.#fields.reasoning_content = (this.#fields.reasoning_content ?? "") + content;
    if (reasoning) this.#fields.reasoning = (this.#fields.reasoning ?? "") + reasoning;
    if (Array.isArray(details)) (this.#fields.reasoning_details ??= []).push(...details);
    // Thinking that a server sends under both field names counts once.
    return content || reasoning || thinkingParts(message.content);
  }

  /**
   * Returns the thinking as the state that the run's next request sends back. Returns `undefined` if there was no
   * thinking.
   */
  toVendorState({ providerId, modelId }: ModelIdentity): VendorState | undefined {
    const kept: Kept = { fields: this.#fields };
    return Object.keys(this.#fields).length === 0 ? undefined : { providerId, modelId, items: kept };
  }
}

/**
 * Returns the thinking fields to send back with an assistant message if this model made it. Otherwise returns an empty
 * object.
 */
export function replayedThinking(message: ModelMessage, { providerId, modelId }: ModelIdentity): Fields {
  const kept = vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined;
  return kept?.fields ?? {};
}

/** Returns the thinking in the parts of a message's content, where Mistral puts it. It is not sent back. */
function thinkingParts(content: unknown): string {
  if (!Array.isArray(content)) return "";
  const thinking = readObjects(content).filter(({ type }) => type === "thinking");
  return thinking
    .flatMap((part) => readObjects(part["thinking"]))
    .map(({ text }) => readText(text))
    .join("");
}
