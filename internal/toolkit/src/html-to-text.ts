import { cleanLines, cleanText } from "./clean-text.ts";
import { decodeEntities } from "./decode-entities.ts";

/**
 * HTML elements by the way in which their text is separated from the text around it: on lines of its own (`block`),
 * after a space (`cell`), joined (`inline`), or dropped (`unseen`).
 */
const elements: ReadonlyMap<string, Stand> = new Map([
  ...elementsOf(
    "block",
    "address article aside blockquote body br center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html li main menu nav ol option p pre section summary table tbody tfoot thead tr ul",
  ),
  ...elementsOf("cell", "button img input select td textarea th"),
  ...elementsOf(
    "inline",
    "a abbr acronym area audio b base basefont bdi bdo big canvas caption cite code col colgroup data datalist del dfn em embed font frame frameset i iframe ins kbd label legend link map mark meta meter noscript object optgroup output param picture progress q rp rt ruby s samp small source span strike strong sub sup time track tt u var video wbr",
  ),
  ...elementsOf("unseen", "noembed noframes script style svg template title"),
]);

/** The white space, or nothing, that replaces an HTML tag, for each of the four kinds of elements. */
const traces: Readonly<Record<Stand, string>> = { block: "\n", cell: " ", inline: "", unseen: " " };

type Stand = "block" | "cell" | "inline" | "unseen";

function elementsOf(stand: Stand, names: string): [string, Stand][] {
  return names.split(" ").map((name) => [name, stand]);
}

/**
 * Returns the text of HTML, or of text that may contain HTML: drops tags and comments, decodes entities once, and
 * cleans the rest like `cleanText`. A `<` that begins no HTML element is kept. Takes time proportional to the text.
 */
export function htmlToText(html: unknown, longest: number): string {
  if (typeof html !== "string") return "";
  return cleanText(decodeEntities(stripTags(html.slice(0, mostHtml(longest)))), longest);
}

/** Like `htmlToText`, but keeps the line breaks of blocks, rows and `br`, as `cleanLines` does. */
export function htmlToLines(html: unknown, longest: number): string {
  if (typeof html !== "string") return "";
  // Line breaks in HTML source are only spaces.
  const source = html.slice(0, mostHtml(longest)).replace(/[\r\n]+/g, " ");
  return cleanLines(decodeEntities(stripTags(source)), longest);
}

/**
 * Returns the number of characters of HTML to read. It is large, because tags usually take more characters than the
 * text.
 */
function mostHtml(longest: number): number {
  return 40 * longest + 10_000;
}

function stripTags(html: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let at = 0;
  for (let open = html.indexOf("<"); open !== -1; open = html.indexOf("<", at)) {
    const tag = readTag({ html, open, unclosed });
    kept.push(html.slice(at, open), tag?.trace ?? "<");
    at = tag?.end ?? open + 1;
  }
  kept.push(html.slice(at));
  return kept.join("");
}

/** A `<` in HTML, and the elements that are known not to be closed after it. */
type Place = { html: string; open: number; unclosed: Set<string> };

type Tag = { end: number; trace: string };

/**
 * Reads the HTML tag or comment that begins at `open`. Returns `undefined` for a literal `<`. An unclosed tag hides the
 * remaining text, as in a browser.
 */
function readTag(place: Place): Tag | undefined {
  const { html, open } = place;
  if (html.startsWith("<!--", open)) return { end: after(html, "-->", open + 4), trace: "" };
  const [beginning, slash, name = ""] =
    /^<(?:[!?]|(\/?)([a-z][a-z0-9]*)(?=[\s/>]))/i.exec(html.slice(open, open + 24)) ?? [];
  if (beginning === undefined) return undefined;
  const end = after(html, ">", open);
  if (name === "") return { end, trace: "" };
  const element = name.toLowerCase();
  const stand = elements.get(element);
  if (stand === undefined) return undefined;
  const isHidden = stand === "unseen" && slash === "";
  return { end: isHidden ? afterElement(place, element, end) : end, trace: traces[stand] };
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

/**
 * Returns the index after an HTML element whose text is dropped. If the element is never closed, the text is not HTML,
 * and the index after its first tag is returned.
 */
function afterElement({ html, unclosed }: Place, element: string, from: number): number {
  if (unclosed.has(element)) return from;
  const close = new RegExp(`</${element}[\\s>]`, "gi");
  close.lastIndex = from;
  const found = close.exec(html);
  if (found !== null) return after(html, ">", found.index);
  unclosed.add(element);
  return from;
}
