/** Longest address of a link that is shown, in characters. */
const longestAddress = 500;

/**
 * Matches the tags of links. No match spans another tag, so matching takes time proportional to the length of the text.
 */
const linkTag = /<a\s(?:[^<>]*?\s)?href\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>]+))[^<>]*>|<\/a\s*>/gi;

/**
 * Writes the addresses of links into HTML as text after each link's own text, because removing the tags would remove
 * the addresses. An address that is also the text of its link is not repeated. Very long addresses are omitted, and so
 * are addresses that are neither web nor mail addresses.
 */
export function showLinks(html: string): string {
  let shown = "";
  let end = 0;
  let link: { address: string; start: number } | undefined;
  for (const { 0: tag, 1: double, 2: single, 3: bare, index } of html.matchAll(linkTag)) {
    shown += html.slice(end, index);
    if (link !== undefined) shown += suffixOf(link.address, html.slice(link.start, index));
    end = index + tag.length;
    shown += tag;
    const address = (double ?? single ?? bare ?? "").trim();
    link = address === "" ? undefined : { address, start: end };
  }
  return shown + html.slice(end);
}

function suffixOf(address: string, content: string): string {
  if (!/^(?:https?|mailto):/i.test(address) || address.length > longestAddress) return "";
  const text = content.trim();
  const isText = address === text || address === `mailto:${text}` || address.replace(/^https?:\/\//i, "") === text;
  return isText ? "" : ` (${address})`;
}
