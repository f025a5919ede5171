import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";

/** API keys of a caller, one for each vendor by `providerId`. The key of `google` also serves `vertex`. */
export type ApiKeys = { readonly [providerId: string]: string | undefined };

/** Maximum number of characters of an API key: 16 KB, because some gateways use whole signed documents. */
export const maxKeyLength = 16_384;

/**
 * Returns an API key that fits into a header: 1 to 16,384 visible ASCII characters. Throws an error with this `code`
 * for any other value. The error names the place `where` the key was given and never shows the value.
 */
export function checkApiKey(value: unknown, where: string, code: ErrorCode = "invalid_request"): string {
  if (isApiKey(value)) return value;
  const isTooLong = typeof value === "string" && value.length > maxKeyLength;
  const got = isTooLong ? `, got ${value.length} characters` : "";
  const expected = `1 to ${maxKeyLength} visible ASCII characters without spaces`;
  throw new TroupeError(code, `The API key in ${where} must be ${expected}${got}.`);
}

/**
 * Returns true if a value fits into a header as an API key: 1 to 16,384 visible ASCII characters. For checks with their
 * own errors; `checkApiKey` throws.
 */
export function isApiKey(value: unknown): value is string {
  return typeof value === "string" && value.length <= maxKeyLength && /^[!-~]+$/.test(value);
}
