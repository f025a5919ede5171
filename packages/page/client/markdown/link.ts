/** A link that may be shown: a web address with its host, or a mail address. */
export type Link = { readonly href: string; readonly host?: string };

const allowed = new Set(["http:", "https:", "mailto:"]);

/**
 * Reads a web or mail address. Returns undefined for any other address, such as a script, data, a file, or a path on
 * the page's own server.
 */
export function readLink(address: string): Link | undefined {
  const url = URL.parse(address);
  if (url === null || !allowed.has(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "mailto:" ? { href: url.href } : { href: url.href, host: url.host };
}

/**
 * Returns the host to show beside the text of a link. Undefined for a mail address, and if the text is empty, the
 * address itself or its host.
 */
export function hostBeside({ href, host }: Link, text: string): string | undefined {
  const shown = text.trim();
  const isAddress = shown === "" || shown.toLowerCase() === host || URL.parse(shown)?.href === href;
  return isAddress ? undefined : host;
}
