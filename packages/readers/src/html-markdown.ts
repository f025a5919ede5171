import type * as parse5 from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import type { ReadContent } from "./read-content.ts";
import { withTitle } from "./read-text.ts";

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/** Elements whose content is skipped. */
const leftOut: ReadonlySet<string> = new Set(
  "script style template noscript svg math iframe object nav select textarea button title head".split(" "),
);

/** Elements that start and end a paragraph. */
const blocks: ReadonlySet<string> = new Set(
  "address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html main ol p pre section summary table ul".split(
    " ",
  ),
);

/** Writes HTML as Markdown: its headings, lists, tables and code. Skips hidden elements and scripts. */
export function toMarkdown({ parse }: Pick<typeof parse5, "parse">, html: string): ReadContent {
  const writer = new MarkdownWriter();
  const title = writeNodes(parse(html), writer);
  return withTitle(writer.text, title);
}

/** A step of the tree walk: a node to enter, or an element to leave. */
type Step = { readonly node: Node; readonly isEnd: boolean };

// The walk uses its own stack, because a hostile document may be nested more deeply than the call stack allows.
function writeNodes(root: Node, writer: MarkdownWriter): string {
  const steps: Step[] = [{ node: root, isEnd: false }];
  let title = "";
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { node, isEnd } = step;
    if (isEnd) writer.leave(node as Element);
    else if (node.nodeName === "#text") writer.write((node as DefaultTreeAdapterTypes.TextNode).value);
    else if (node.nodeName === "title" && title === "") title = titleOf(node);
    else if (node.nodeName === "head") pushChildren(steps, node, (child) => child.nodeName === "title");
    else if ("childNodes" in node && !isLeftOut(node)) {
      if ("tagName" in node) {
        writer.enter(node);
        steps.push({ node, isEnd: true });
      }
      pushChildren(steps, node);
    }
  }
  return title;
}

function pushChildren(steps: Step[], node: Node, isWanted: (child: Node) => boolean = () => true): void {
  const children = "childNodes" in node ? node.childNodes : [];
  for (let index = children.length - 1; index >= 0; index--) {
    const child = children[index] as Node;
    if (isWanted(child)) steps.push({ node: child, isEnd: false });
  }
}

function titleOf({ childNodes }: Element): string {
  return childNodes.map((child) => ("value" in child ? child.value : "")).join("");
}

function isLeftOut(node: Node): boolean {
  if (!("tagName" in node)) return false;
  if (leftOut.has(node.tagName)) return true;
  return node.attrs.some(({ name, value }) => {
    return name === "hidden" || (name === "style" && /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i.test(value));
  });
}

/** Writes text with the structure of elements as Markdown. */
class MarkdownWriter {
  readonly #parts: string[] = [];
  #isAtStart = true;
  #hasSpace = false;
  #code = 0;
  /** The open table rows, each with the number of its cells so far. `isHeader`: the row is a header. */
  readonly #rows: { cells: number; isHeader: boolean }[] = [];
  #lists = 0;

  get text(): string {
    return this.#parts
      .join("")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  write(text: string): void {
    if (this.#code > 0) {
      this.#parts.push(text);
      this.#isAtStart = text.endsWith("\n");
      return;
    }
    const words = text.replace(/[\t\n\f\r ]+/g, " ");
    const rest = this.#isAtStart || this.#hasSpace ? words.trimStart() : words;
    if (rest === "") return;
    this.#parts.push(this.#rows.length > 0 ? rest.replaceAll("|", "\\|") : rest);
    this.#isAtStart = false;
    this.#hasSpace = rest.endsWith(" ");
  }

  enter({ tagName }: Element): void {
    if (this.#rows.length > 0 && tagName !== "td" && tagName !== "th") return this.#separate(tagName);
    if (blocks.has(tagName)) this.#break("\n\n");
    const level = /^h([1-6])$/.exec(tagName)?.[1];
    if (level !== undefined) this.#mark(`${"#".repeat(Number(level))} `);
    else this.#enterOther(tagName);
  }

  #enterOther(tagName: string): void {
    if (tagName === "br") this.#break("\n");
    else if (tagName === "pre") this.#openCode();
    else if (tagName === "ul" || tagName === "ol") this.#lists += 1;
    else if (tagName === "li") {
      this.#break("\n");
      this.#mark(`${"  ".repeat(Math.min(8, Math.max(0, this.#lists - 1)))}- `);
    } else if (tagName === "tr") {
      this.#break("\n");
      this.#mark("| ");
      this.#rows.push({ cells: 0, isHeader: false });
    } else if (tagName === "th") this.#openCell(true);
    else if (tagName === "td") this.#openCell(false);
  }

  leave({ tagName }: Element): void {
    if (tagName === "tr") return this.#closeRow();
    if (tagName === "td" || tagName === "th") return this.#mark(" | ");
    if (this.#rows.length > 0) return this.#separate(tagName);
    if (tagName === "pre") this.#closeCode();
    if (tagName === "ul" || tagName === "ol") this.#lists -= 1;
    if (blocks.has(tagName)) this.#break("\n\n");
    if (tagName === "li") this.#break("\n");
  }

  /** Within a table row, the blocks and lines of a cell are separated by spaces. */
  #separate(tagName: string): void {
    if (blocks.has(tagName) || tagName === "br" || tagName === "li") this.write(" ");
  }

  #openCode(): void {
    this.#code += 1;
    if (this.#code === 1) this.#mark("```\n");
  }

  #closeCode(): void {
    this.#code -= 1;
    if (this.#code === 0) this.#mark(this.#isAtStart ? "```" : "\n```");
  }

  #openCell(isHeader: boolean): void {
    const row = this.#rows.at(-1);
    if (row === undefined) return;
    row.cells += 1;
    row.isHeader ||= isHeader;
  }

  #closeRow(): void {
    const row = this.#rows.pop();
    if (row?.isHeader !== true) return;
    this.#break("\n");
    this.#mark(`|${"---|".repeat(Math.min(row.cells, 100))}`);
  }

  #mark(text: string): void {
    this.#parts.push(text);
    this.#isAtStart = true;
  }

  #break(text: string): void {
    if (this.#code > 0) return;
    this.#parts.push(text);
    this.#isAtStart = true;
    this.#hasSpace = false;
  }
}
