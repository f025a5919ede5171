/** Names of the request headers in which a client sends its API keys of vendors, by `providerId`. */
export const vendorKeyHeaderNames = {
  openai: "x-openai-api-key",
  anthropic: "x-anthropic-api-key",
  google: "x-google-api-key",
} as const;

/** Name of the request header for the generic key, which is used for whichever vendor is called. */
export const genericKeyHeader = "x-api-key";

/**
 * Names of the request headers that every service documents for API keys. A service also reads `x-<providerId>-api-key`
 * for any other provider.
 */
export const keyHeaders: readonly string[] = [...Object.values(vendorKeyHeaderNames), genericKeyHeader];

const vendorForm = /^x-([a-z][\w.-]{0,63})-api-key$/;

/** Returns the name of the request header in which a client sends its API key of a vendor. */
export function keyHeaderOf(vendor: string): string {
  return `x-${vendor}-api-key`;
}

/** Returns the vendor whose API key a request header has. `name` is in lower case. Undefined for any other header. */
export function vendorOfHeader(name: string): string | undefined {
  return name.endsWith("-api-key") ? vendorForm.exec(name)?.[1] : undefined;
}

/** Returns true if a request header has an API key, generic or of any vendor. `name` is in lower case. */
export function isKeyHeader(name: string): boolean {
  return name === genericKeyHeader || vendorOfHeader(name) !== undefined;
}

/** Returns the API keys in the headers of a request, to mask them in texts. Names of headers are in lower case. */
export function apiKeysInHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (isKeyHeader(name) ? [value ?? []].flat() : []));
}
