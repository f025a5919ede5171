const maxLength = 2048;

/**
 * Returns an address in the form in which a browser would open it. It must be an absolute http(s) address without user
 * and password, of at most 2048 characters. Otherwise returns `undefined`, also for `javascript:` and `data:`.
 */
export function cleanUrl(address: unknown): string | undefined {
  if (typeof address !== "string" || address.length > maxLength) return undefined;
  const url = URL.parse(address.trim());
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  if (url.username !== "" || url.password !== "" || url.href.length > maxLength) return undefined;
  return url.href;
}
