/** Names of the request headers in which a client sends its keys of vendors, by `providerId`. */
export const vendorKeyHeaders = {
  openai: "x-openai-api-key",
  anthropic: "x-anthropic-api-key",
  google: "x-google-api-key",
} as const;

/** Name of the request header for the generic key, which is used for the vendor that is called. */
export const genericKeyHeader = "x-api-key";

/** Names of all request headers that carry API keys, such as for hiding their values in logs. */
export const keyHeaders: readonly string[] = [...Object.values(vendorKeyHeaders), genericKeyHeader];
