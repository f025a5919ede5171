import { TroupeError } from "@troupe/core";
import { ApiKeyCache, requireKey } from "@troupe/core/provider";
import type { CallContext } from "@troupe/core/provider";
import { checkModel } from "./options.ts";
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "./options.ts";
import { keyHeadersOf } from "./vendors.ts";

/**
 * The access to a model for one call: the model itself, the headers with the caller's key, and the facts for errors.
 */
export type ModelAccess<Model> = {
  model: Model;
  headers: Record<string, string | undefined> | undefined;
  call: CallContext;
};

type AccessSettings<Model> = { providerId: string; withKey?: ((apiKey: string) => Model) | undefined };

/** Opens calls of a model: with its own key, or with a key of the caller. */
export class ModelKeys<Model extends AiSdkLanguageModel | AiSdkEmbeddingModel> {
  readonly #own: Model;
  readonly #settings: AccessSettings<Model>;
  readonly #byKey = new ApiKeyCache<{ model: Model | undefined }>(() => ({ model: undefined }));

  constructor(model: Model, settings: AccessSettings<Model>) {
    this.#own = model;
    this.#settings = settings;
  }

  /**
   * Returns the model for one call. Rejects with `invalid_request` for a malformed key, and for any key if the model
   * cannot use a caller's key.
   */
  async open(apiKey: string | undefined, signal: AbortSignal | undefined): Promise<ModelAccess<Model>> {
    const { providerId } = this.#settings;
    // The model's own key is unknown and so cannot be masked: errors contain no text of the vendor.
    const call = { providerId, signal, findSecrets: () => undefined };
    if (apiKey === undefined) return { model: this.#own, headers: undefined, call };
    const key = await requireKey({ providerId, request: apiKey });
    const made = this.#modelFor(key.value);
    if (made !== undefined) return { model: made, headers: undefined, call: { ...call, key } };
    const headers = keyHeadersOf(providerId, key.value);
    if (headers !== undefined) return { model: this.#own, headers, call: { ...call, key } };
    throw new TroupeError(
      "invalid_request",
      `${providerId} is called through a model of the AI SDK with its own key. Send no API key, or set withKey of fromAiSdk.`,
      { fields: { vendor: providerId } },
    );
  }

  #modelFor(apiKey: string): Model | undefined {
    const { withKey } = this.#settings;
    if (withKey === undefined) return undefined;
    const entry = this.#byKey.get(apiKey);
    if (entry.model === undefined) {
      const model = withKey(apiKey);
      checkModel(model);
      entry.model = model;
    }
    return entry.model;
  }
}
