/** A link that may be shown: a web or mail address, and the host that it leads to when that is another one. */
export type Link = { readonly href: string; readonly host?: string };

const allowed = new Set(["http:", "https:", "mailto:"]);

/** Reads an address of the web or of mail. Returns nothing for any other: a script, data, a file, a place on the page's own server. */
export function readLink(address: string): Link | undefined {
  const url = URL.parse(address);
  if (url === null || !allowed.has(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  return url.protocol === "mailto:" ? { href: url.href } : { href: url.href, host: url.host };
}

/** Characters that are not seen, and those that turn the direction of a text: they make a text look like another one. */
const unseen = /[\p{Cc}\u{61c}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{2069}\u{feff}]/gu;

/** Returns a name or a link's text as one line without characters that are not seen or that turn its direction. */
export function plainLine(text: string): string {
  return text.replaceAll(unseen, " ");
}
