import { vendorStateOf } from "@troupe/core/adapter";
import type { ModelMessage, VendorState } from "@troupe/core/adapter";
import { providerId } from "../provider-id.ts";
import type { WireMessage } from "./wire-types.ts";

type Fields = { reasoning_content?: string; reasoning?: string; reasoning_details?: unknown[] };
type Kept = { fields: Fields };

/** Gathers the thinking of an answer under the names under which its server sent it, and wants it back. */
export class KeptThinking {
  readonly #fields: Fields = {};

  /** Takes what a message, or a piece of one, holds, and gives the text that is new. */
  add({ reasoning_content: content, reasoning, reasoning_details: details }: WireMessage): string {
    if (content) this.#fields.reasoning_content = (this.#fields.reasoning_content ?? "") + content;
    if (reasoning) this.#fields.reasoning = (this.#fields.reasoning ?? "") + reasoning;
    if (details) (this.#fields.reasoning_details ??= []).push(...details);
    // One text under both names is said once.
    return content || reasoning || "";
  }

  /** What has to go back with the next step of the run. */
  toVendorState(modelId: string): VendorState | undefined {
    const kept: Kept = { fields: this.#fields };
    return Object.keys(this.#fields).length === 0 ? undefined : { providerId, modelId, items: kept };
  }
}

/** The fields that an answer of this run goes back with. */
export function keptFields(message: ModelMessage, modelId: string): Fields {
  const kept = vendorStateOf(message, { providerId, modelId })?.items as Partial<Kept> | undefined;
  return kept?.fields ?? {};
}
