const maxLength = 2048;

/**
 * Returns an address as a browser would open it, if it is an absolute http: or https: one without user and password and
 * of at most 2048 characters. Else `undefined`: `javascript:`, `data:` and the like are no results.
 */
export function cleanUrl(address: unknown): string | undefined {
  if (typeof address !== "string" || address.length > maxLength) return undefined;
  const url = URL.parse(address.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.href.length > maxLength) return undefined;
  return url.href;
}
