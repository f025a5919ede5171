/** The header that carries a vendor's key, by `providerId`. */
export const vendorKeyHeaders = {
  openai: "x-openai-api-key",
  anthropic: "x-anthropic-api-key",
  google: "x-google-api-key",
} as const;

/** The header of the key for whatever vendor is called. */
export const genericKeyHeader = "x-api-key";

/** All headers that carry keys. */
export const keyHeaders: readonly string[] = [...Object.values(vendorKeyHeaders), genericKeyHeader];
