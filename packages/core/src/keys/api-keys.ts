import { TroupeError } from "../errors/troupe-error.ts";
import type { ErrorCode } from "../errors/troupe-error.ts";

/** API keys of a caller, one per vendor by `providerId`; the key of `google` serves `vertex` too. */
export type ApiKeys = { readonly [providerId: string]: string | undefined };

/**
 * Returns a key that fits into a header: 1 to 512 visible ASCII characters. Throws `code` for any other value, in an
 * error that names `where` it was given and never shows the value.
 */
export function checkApiKey(value: unknown, where: string, code: ErrorCode = "invalid_request"): string {
  if (isApiKey(value)) return value;
  throw new TroupeError(code, `The API key in ${where} must be 1 to 512 visible ASCII characters without spaces.`);
}

/**
 * Tells if a value fits into a header as a key: 1 to 512 visible ASCII characters. For checks with errors of their own;
 * `checkApiKey` throws.
 */
export function isApiKey(value: unknown): value is string {
  return typeof value === "string" && /^[!-~]{1,512}$/.test(value);
}
