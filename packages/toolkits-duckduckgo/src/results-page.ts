import { cleanUrl, decodeEntities, toSearchHit } from "@troupe-internal/toolkit";
import type { DuckDuckGoHit } from "./hits.ts";

/** Largest number of links and snippets that are read from a results page: several times the number that a page has. */
const mostElements = 200;

type Element = { kind: "link" | "snippet"; href: string; html: string };

/**
 * Reads the results of a DuckDuckGo page, in the html or the lite version: each link with the snippet after it. Ads and
 * repeated results are skipped, and the addresses behind DuckDuckGo's redirects are returned.
 */
export function readResultsPage(html: string): DuckDuckGoHit[] {
  const hits = new Map<string, DuckDuckGoHit>();
  let last: DuckDuckGoHit | undefined;
  for (const element of findElements(html)) {
    if (element.kind === "link") {
      last = toHit(element);
      if (last !== undefined && !hits.has(last.url)) hits.set(last.url, last);
    } else if (last !== undefined && last.snippet === "") {
      last.snippet = toSearchHit({ ...last, snippet: element.html })?.snippet ?? "";
    }
  }
  return [...hits.values()];
}

/**
 * Returns true if a DuckDuckGo page says that there are no results. Looks only where the text of the query cannot
 * appear.
 */
export function saysNoResults(html: string): boolean {
  return /\bclass\s*=\s*["'][^"'<>]{0,100}\bno-results\b|>\s{0,9}No\s{1,9}(?:more\s{1,9})?results\.?\s{0,9}</i.test(
    html,
  );
}

function toHit({ href, html }: Element): DuckDuckGoHit | undefined {
  const url = unwrap(href);
  return url === undefined ? undefined : toSearchHit({ title: html, url, snippet: "" });
}

/**
 * Returns the address to which a redirect of DuckDuckGo leads. Returns `undefined` for an ad, and for anything but a
 * web address.
 */
function unwrap(href: string): string | undefined {
  const link = decodeEntities(href).trim();
  // Other links stay within DuckDuckGo, such as the link in "No results."
  if (!/^(?:(?:https?:)?\/\/|\/l\/\?)/i.test(link)) return undefined;
  let url = URL.parse(link, "https://duckduckgo.com");
  for (let depth = 0; depth < 3 && url !== null && isOwn(url); depth++) {
    if (url.pathname === "/y.js") return undefined;
    const target = url.pathname === "/l/" ? url.searchParams.get("uddg") : null;
    if (target === null) break;
    url = URL.parse(target);
  }
  return cleanUrl(url?.href);
}

function isOwn({ hostname }: URL): boolean {
  return hostname === "duckduckgo.com" || hostname.endsWith(".duckduckgo.com");
}

/**
 * Finds links and snippets of results in the order of the page. Takes time proportional to the page, whatever its
 * content.
 */
function* findElements(html: string): Generator<Element, void, undefined> {
  let found = 0;
  for (let open = html.indexOf("<"); open !== -1 && found < mostElements; open = html.indexOf("<", open + 1)) {
    const name = nameAt(html, open + 1);
    if (name === undefined) continue;
    const end = html.indexOf(">", open);
    if (end === -1) return;
    const attributes = html.slice(open, Math.min(end, open + 4000));
    const kind = kindOf(readAttribute(attributes, "class"));
    if (kind === undefined) continue;
    const rest = html.slice(end + 1, end + 8000);
    const close = rest.indexOf(`</${name}`);
    const inner = close === -1 ? rest : rest.slice(0, close);
    found += 1;
    yield { kind, href: readAttribute(attributes, "href"), html: inner };
  }
}

/**
 * Returns the name of an HTML element if it may be a link or a snippet: `a` or `td`. Checks its first letter first,
 * because a page has thousands of other elements.
 */
function nameAt(html: string, at: number): string | undefined {
  const first = html.charAt(at);
  if (first !== "a" && first !== "t") return undefined;
  return /^(a|td)\s/.exec(html.slice(at, at + 3))?.[1];
}

function kindOf(classes: string): Element["kind"] | undefined {
  const names = classes.split(/\s+/);
  if (names.includes("result__a") || names.includes("result-link")) return "link";
  return names.includes("result__snippet") || names.includes("result-snippet") ? "snippet" : undefined;
}

function readAttribute(tag: string, name: string): string {
  const [, double, single] = new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`, "i").exec(tag) ?? [];
  return double ?? single ?? "";
}
