/** A link that may be shown: a web or mail address, and the host that it leads to when that is another one. */
export type Link = { readonly href: string; readonly host?: string };

const allowed = new Set(["http:", "https:", "mailto:"]);

/** Reads an address of the web or of mail. Returns nothing for any other: a script, data, a file, a place on the page's own server. */
export function readLink(address: string): Link | undefined {
  const url = URL.parse(address);
  if (url === null || !allowed.has(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "mailto:" ? { href: url.href } : { href: url.href, host: url.host };
}

/** Returns the host to show beside the text of a link: none where the text is the address itself, or its host alone. */
export function hostBeside({ href, host }: Link, text: string): string | undefined {
  const shown = text.trim();
  const isAddress = shown === "" || shown.toLowerCase() === host || URL.parse(shown)?.href === href;
  return isAddress ? undefined : host;
}
