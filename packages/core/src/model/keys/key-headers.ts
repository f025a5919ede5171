/** Names of the request headers in which a client sends its API keys of vendors, by `providerId`. */
export const vendorKeyHeaderNames = {
  openai: "x-openai-api-key",
  anthropic: "x-anthropic-api-key",
  google: "x-google-api-key",
} as const;

/** Name of the request header for the generic key, which is used for whichever vendor is called. */
export const genericKeyHeader = "x-api-key";

/** Names of all request headers that carry API keys, for example to mask their values in logs. */
export const keyHeaders: readonly string[] = [...Object.values(vendorKeyHeaderNames), genericKeyHeader];
