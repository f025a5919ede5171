/** Headers for the keys of vendors, by `providerId`. */
export const vendorKeyHeaders = {
  openai: "x-openai-api-key",
  anthropic: "x-anthropic-api-key",
  google: "x-google-api-key",
} as const;

/** Header for the generic key, which is for the vendor that is called. */
export const genericKeyHeader = "x-api-key";

/** All headers for keys. */
export const keyHeaders: readonly string[] = [...Object.values(vendorKeyHeaders), genericKeyHeader];
