import type { ModelCallOptions } from "./model-config.ts";
import type { ModelProvider } from "./model-provider.ts";

/**
 * Returns the options of a model call with the caller's API keys. A model receives the key of its own vendor; a model
 * that calls other models receives the keys of their vendors. No model receives the key of a vendor that it does not
 * call.
 */
export function keyOptions(
  { providerId, providerIds }: Pick<ModelProvider, "providerId" | "providerIds">,
  keyFor: (providerId: string) => string | undefined,
): Pick<ModelCallOptions, "apiKey" | "apiKeys"> {
  const apiKey = keyFor(providerId);
  const own = apiKey === undefined ? {} : { apiKey };
  if (providerIds === undefined) return own;
  const known = providerIds.map((id) => [id, keyFor(id)] as const).filter(([, key]) => key !== undefined);
  return { ...own, apiKeys: Object.fromEntries(known) };
}
