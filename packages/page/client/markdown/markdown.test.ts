import { describe, expect, it } from "vitest";
import { parseMarkdown } from "./blocks.ts";
import type { Block } from "./blocks.ts";
import { parseInline } from "./inline.ts";
import type { Inline } from "./inline.ts";
import { hostBeside, readLink } from "./link.ts";

/** Writes running text as tags, for the eye. */
function shown(nodes: readonly Inline[]): string {
  const show = (node: Inline): string => {
    switch (node.type) {
      case "text":
        return node.text;
      case "code":
        return `<code>${node.text}</code>`;
      case "break":
        return "<br>";
      case "link":
        return `<a ${node.link.href}>${shown(node.children)}</a>`;
      default:
        return `<${node.type}>${shown(node.children)}</${node.type}>`;
    }
  };
  return nodes.map(show).join("");
}

/** Writes blocks as an outline, for the eye. */
function outline(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => {
    switch (block.type) {
      case "paragraph":
        return shown(block.content);
      case "heading":
        return `h${block.level} ${shown(block.content)}`;
      case "quote":
        return { quote: outline(block.blocks) };
      case "list":
        return { [block.start === undefined ? "ul" : `ol ${block.start}`]: block.items.map(outline) };
      case "table":
        return { table: [block.head, ...block.rows].map((row) => row.map(shown).join(" | ")) };
      default:
        return block.type === "rule" ? "hr" : `code ${block.language}: ${block.text}`;
    }
  });
}

/** Returns the letters a and b of all texts of a tree. */
function lettersOf(tree: unknown): string {
  if (typeof tree !== "object" || tree === null) return "";
  const texts = Object.entries(tree).map(([name, value]) => {
    const isText = (name === "text" || name === "language") && typeof value === "string";
    return isText ? value.replaceAll(/[^ab]/g, "") : lettersOf(value);
  });
  return texts.join("");
}

describe("running text", () => {
  it.each([
    ["plain", "plain"],
    [
      "**bold** and *slanted* and _so_ and __so__",
      "<strong>bold</strong> and <emphasis>slanted</emphasis> and <emphasis>so</emphasis> and <strong>so</strong>",
    ],
    ["***both***", "<strong><emphasis>both</emphasis></strong>"],
    ["**a *b* c**", "<strong>a <emphasis>b</emphasis> c</strong>"],
    ["~~gone~~ ~kept~", "<deleted>gone</deleted> ~kept~"],
    ["2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"],
    ["**never closed", "**never closed"],
    ["*a **b*", "<emphasis>a **b</emphasis>"],
    ["`a * b` and ``c ` d``", "<code>a * b</code> and <code>c ` d</code>"],
    ["`never closed", "`never closed"],
    ["a\nb", "a<br>b"],
    [String.raw`\*not\* \[this\]`, "*not* [this]"],
    ["[Oslo](https://example.com/a_(b))", "<a https://example.com/a_(b)>Oslo</a>"],
    ["[*a* b](https://example.com 'title')", "<a https://example.com/><emphasis>a</emphasis> b</a>"],
    [
      "see https://example.com/a, or (https://example.com/b).",
      "see <a https://example.com/a>https://example.com/a</a>, or (<a https://example.com/b>https://example.com/b</a>).",
    ],
    ["![map](https://example.com/map.png)", "<a https://example.com/map.png>map</a>"],
    ["[a] (b) [c", "[a] (b) [c"],
    ["![map](javascript:x) and ![never **closed", "![map](javascript:x) and ![never **closed"],
    ["array[0](x)", "array[0](x)"],
  ])("reads %j", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//elsewhere.test",
    "/agents",
    "https://user:pass@elsewhere.test",
    "blob:x",
  ])("links nowhere for %s", (address) => {
    expect(shown(parseInline(`[text](${address})`))).toBe(`[text](${address})`);
    expect(readLink(address)).toBeUndefined();
  });

  it("takes HTML as text", () => {
    const html = `<img src=x onerror="alert(1)"><script>alert(1)</script>`;

    expect(parseInline(html)).toEqual([{ type: "text", text: html }]);
  });

  it.each([
    ["https://bank.test/?evil.test", "https://evil.test", "evil.test"],
    ["contact.com", "http://t.co/x", "t.co"],
    ["evil.test.bank.test", "https://evil.test", "evil.test"],
    ["https://bank.test/evil.test/", "https://evil.test/", "evil.test"],
    ["bank.test", "https://bank.test:8443/", "bank.test:8443"],
    ["the bank", "https://bank.test/", "bank.test"],
    ["https://bank.test", "https://bank.test/", undefined],
    ["https://BANK.test/a?b", "https://bank.test/a?b", undefined],
    [" Bank.test ", "https://bank.test/login", undefined],
    ["", "https://bank.test/", undefined],
    ["write to us", "mailto:us@bank.test", undefined],
  ])("shows beside the text %j of a link to %s the host %s", (text, address, host) => {
    const link = readLink(address);

    expect(link && hostBeside(link, text)).toBe(host);
  });
});

describe("blocks", () => {
  it("are paragraphs, headings, rules, code and quotes", () => {
    const text = "# One\ntext\nmore\n\n---\n```ts\nlet a = *1*;\n\n# no\n```\n> quoted\n> > twice\n\nend";

    expect(outline(parseMarkdown(text))).toEqual([
      "h1 One",
      "text<br>more",
      "hr",
      "code ts: let a = *1*;\n\n# no",
      { quote: ["quoted", { quote: ["twice"] }] },
      "end",
    ]);
  });

  it("are lists, with lists and code within", () => {
    const text =
      "Take:\n- an umbrella\n  of *good* make\n- boots\n  1. left\n  2. right\n\n- a map\n\n  ```\n  code\n  ```\n\nThen go.";

    expect(outline(parseMarkdown(text))).toEqual([
      "Take:",
      {
        ul: [
          ["an umbrella<br>of <emphasis>good</emphasis> make"],
          ["boots", { "ol 1": [["left"], ["right"]] }],
          ["a map", "code : code"],
        ],
      },
      "Then go.",
    ]);
  });

  it("are numbered lists from any number", () => {
    expect(outline(parseMarkdown("3. three\n4. four"))).toEqual([{ "ol 3": [["three"], ["four"]] }]);
  });

  it("are tables", () => {
    const [table] = parseMarkdown("| City | *Sky* |\n|:--|--:|\n| Oslo | rain |\n| Quito |");

    expect(outline(table === undefined ? [] : [table])).toEqual([
      { table: ["City | <emphasis>Sky</emphasis>", "Oslo | rain", "Quito | "] },
    ]);
    expect(table).toMatchObject({ alignments: ["start", "end"] });
  });

  it("have code to the end while its fence is open", () => {
    expect(outline(parseMarkdown("Look:\n```js\nconst a = 1;\n"))).toEqual(["Look:", "code js: const a = 1;\n"]);
  });

  it("lose no letter of any text", () => {
    const pieces = [
      "*",
      "**",
      "_",
      "`",
      "[",
      "](",
      ")",
      "\n",
      "- ",
      "> ",
      "# ",
      "|",
      "a",
      "b ",
      "1. ",
      "~~",
      "  ",
      "![",
    ];
    let seed = 7;
    const next = () => (seed = (seed * 16_807) % 2_147_483_647);
    for (let trial = 0; trial < 1000; trial++) {
      const text = Array.from({ length: 30 }, () => pieces[next() % pieces.length]).join("");

      expect(lettersOf(parseMarkdown(text)), JSON.stringify(text)).toBe(text.replaceAll(/[^ab]/g, ""));
    }
  });
});
