import type { ModelOptions } from "./model-config.ts";
import type { ModelProvider } from "./model-provider.ts";

/**
 * Returns the options of a model call with the caller's keys: that for the vendor of the model and, for a model that calls
 * others, those for their vendors. No model is given the key of a vendor that it does not call.
 */
export function keyOptions(
  { providerId, providerIds }: Pick<ModelProvider, "providerId" | "providerIds">,
  keyFor: (providerId: string) => string | undefined,
): Pick<ModelOptions, "apiKey" | "apiKeys"> {
  const apiKey = keyFor(providerId);
  const own = apiKey === undefined ? {} : { apiKey };
  if (providerIds === undefined) return own;
  const known = providerIds.map((id) => [id, keyFor(id)] as const).filter(([, key]) => key !== undefined);
  return { ...own, apiKeys: Object.fromEntries(known) };
}
