import { describe, expect, it } from "vitest";
import { parseInline } from "./inline.ts";
import type { Inline } from "./inline.ts";

/** Writes running text as tags. */
function shown(nodes: readonly Inline[]): string {
  const show = (node: Inline): string => {
    if (node.type === "break") return "<br>";
    if (!("children" in node)) return node.type === "code" ? `<code>${node.text}</code>` : node.text;
    const inner = node.children.map(show).join("");
    return node.type === "link" ? `<a ${node.link.href}>${inner}</a>` : `<${node.type}>${inner}</${node.type}>`;
  };
  return nodes.map(show).join("");
}

const em = (text: string) => `<emphasis>${text}</emphasis>`;
const strong = (text: string) => `<strong>${text}</strong>`;
const linked = (address: string, text = address) => `<a ${address}>${text}</a>`;

/** Returns how deep marks are nested. */
function depthOf(nodes: readonly Inline[]): number {
  return Math.max(0, ...nodes.map((node) => ("children" in node ? 1 + depthOf(node.children) : 0)));
}

describe("parseInline", () => {
  it.each([
    "имя_файла_здесь",
    "snake_имя_файла",
    "é_b_é",
    "名_前_名",
    "١_٢_٣",
    "1_2_3",
    "a__b__c",
    "é__b__é",
    "a_b_",
    "é_b_",
    "_a_b",
    "_a_é",
  ])("leaves the underscores within the word %j", (text) => {
    expect(shown(parseInline(text))).toBe(text);
  });

  it.each([
    ["_имя_", em("имя")],
    ["(_имя_)", `(${em("имя")})`],
    ["«_имя_», „_é_“", `«${em("имя")}», „${em("é")}“`],
    ["-_b_-", `-${em("b")}-`],
    ["a*b*c", `a${em("b")}c`],
    ["é**b**é", `é${strong("b")}é`],
    ["a~~b~~c", "a<deleted>b</deleted>c"],
    ["_a b_c d_", em("a b_c d")],
  ])("opens and closes the marks of %j at the edges of words", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    "** a**",
    "**a **",
    "* a*",
    "*a *",
    "*\u{a0}a*",
    "**a\n** b",
    "~~ a~~",
    "~~a ~~",
    "**",
    "*",
    "_",
    "~",
    "a ** b",
  ])("leaves the marks of %j, which stand beside white space", (text) => {
    expect(shown(parseInline(text))).toBe(text.replace("\n", "<br>"));
  });

  it.each([
    ["**a *b***", strong(`a ${em("b")}`)],
    ["*a **b***", em(`a ${strong("b")}`)],
    ["*a **b** c*", em(`a ${strong("b")} c`)],
    ["**a *b* c**", strong(`a ${em("b")} c`)],
    ["~~~a~~~", "<deleted>~a</deleted>~"],
    ["****a****", strong(strong("a"))],
    ["**a _b**", strong("a _b")],
    ["*a _b* c_", `${em("a _b")} c_`],
    ["*a _b**", "*a _b**"],
    ["*a", "*a"],
    ["a*", "a*"],
    ["*a*b*", `${em("a")}b*`],
  ])("pairs the marks of %j from the inside", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it("nests marks 12 deep and takes deeper ones as text", () => {
    const nested = (count: number) => `${"**a ".repeat(count)}b${"**".repeat(count)}`;

    expect(depthOf(parseInline(nested(12)))).toBe(12);
    expect(shown(parseInline(nested(12)))).toBe(`${"<strong>a ".repeat(12)}b${"</strong>".repeat(12)}`);
    expect(depthOf(parseInline(nested(13)))).toBe(12);
    expect(shown(parseInline(nested(13)))).toBe(`${"<strong>a ".repeat(12)}**a b${"</strong>".repeat(12)}**`);
  });

  it("shows every ASCII punctuation mark after a backslash without it", () => {
    const marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

    expect(parseInline(marks.replaceAll(/./g, String.raw`\$&`))).toEqual([{ type: "text", text: marks }]);
  });

  it.each(["\\a", "\\Z", "\\7", "\\ ", "\\é", "a\\", "\\"])("leaves the backslash of %j", (text) => {
    expect(parseInline(text)).toEqual([{ type: "text", text }]);
  });

  it.each([
    ["a \t\nb", "a<br>b"],
    ["a\n\nb", "a<br><br>b"],
    ["\na\n", "<br>a<br>"],
    ["*a\nb*", em("a<br>b")],
  ])("reads the line breaks of %j", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    ["`` `a` ``", "<code>`a`</code>"],
    ["` a`", "<code> a</code>"],
    ["`a `", "<code>a </code>"],
    ["`  a  `", "<code> a </code>"],
    ["` `", "<code> </code>"],
    ["`  `", "<code>  </code>"],
    ["`a\nb\nc`", "<code>a b c</code>"],
    ["`a``b`", "<code>a``b</code>"],
    ["```a`b``c```d", "<code>a`b``c</code>d"],
    ["``a `b`", "``a <code>b</code>"],
    ["`a ``b``", "`a <code>b</code>"],
    ["``a `b` ``c", "<code>a `b` </code>c"],
    ["`a` `b` ``c", "<code>a</code> <code>b</code> ``c"],
    ["`\\`", "<code>\\</code>"],
    ["*a `b* c`", "*a <code>b* c</code>"],
  ])("reads the code of %j", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    ["[a]( https://a.test/ )", linked("https://a.test/", "a")],
    ["[a](<https://a.test/>)", linked("https://a.test/", "a")],
    ['[a](https://a.test/ "b c")', linked("https://a.test/", "a")],
    ["[a](mailto:a@a.test)", linked("mailto:a@a.test", "a")],
    ["[a](http://a.test/((b)c))d", `${linked("http://a.test/((b)c)", "a")}d`],
    ["[a [b](https://a.test/)", `[a ${linked("https://a.test/", "b")}`],
    ["![a](https://a.test/)!", `${linked("https://a.test/", "a")}!`],
    ["Oslo! *a*", `Oslo! ${em("a")}`],
    ["[*a](https://a.test/) b*", `${linked("https://a.test/", "*a")} b*`],
    ["*[a*](https:x)", `${em("[a")}](https:x)`],
    ["[a]\n(https:x)", "[a]<br>(https:x)"],
    ["[a] (https:x)", "[a] (https:x)"],
    ["[a](https://a.test/\n'b')", "[a](https://a.test/<br>'b')"],
    ["!a](https://a.test/)", `!a](${linked("https://a.test/")})`],
    ["[a](x", "[a](x"],
    ["a](x)", "a](x)"],
    ["[https://b.test](https://a.test/)", linked("https://a.test/", "https://b.test")],
    ["[*https://b.test*](https://a.test/)", linked("https://a.test/", em("https://b.test"))],
  ])("reads the link of %j", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    [1999, true],
    [2000, false],
  ])("reads a destination of %i characters with its opening parenthesis as a link: %j", (length, isLink) => {
    const address = `https://a.test/${"x".repeat(length - 1 - 15)}`;

    expect(shown(parseInline(`[a](${address})`)).startsWith("<a")).toBe(isLink);
  });

  it("reads a bare address of 2,000 characters whole, and the rest of a longer one as text", () => {
    const address = `https://a.test/${"x".repeat(2000 - 15)}`;

    expect(shown(parseInline(address))).toBe(linked(address));
    expect(shown(parseInline(`${address}y`))).toBe(`${linked(address)}y`);
  });

  it.each([
    ["http://a.test/", linked("http://a.test/")],
    ["(http://a.test/)", `(${linked("http://a.test/")})`],
    ["_http://a.test/", `_${linked("http://a.test/")}`],
    ["-http://a.test/", `-${linked("http://a.test/")}`],
    ["«http://a.test/»", `«${linked("http://a.test/%C2%BB", "http://a.test/»")}`],
    ["http://a.test/b_c_d", linked("http://a.test/b_c_d")],
    ["http://a.test/b_(c)", linked("http://a.test/b_(c)")],
    ["<http://a.test/b>", `<${linked("http://a.test/b")}>`],
    ['"http://a.test/b"', `"${linked("http://a.test/b")}"`],
    ['http://a.test/b"c', `${linked("http://a.test/b")}"c`],
    ["*http://a.test/b*", em(linked("http://a.test/b"))],
    ["http://a.test/b`c`", `${linked("http://a.test/b")}<code>c</code>`],
    ["[http://a.test/b]", "[http://a.test/b]"],
    ["http://a.test/b]c", `${linked("http://a.test/b")}]c`],
    ["http://a.test/b c", `${linked("http://a.test/b")} c`],
    ["http://a.test/b\nc", `${linked("http://a.test/b")}<br>c`],
    ...[".", ",", ";", ":", "!", "?", "'", ")", "...", "?!"].map((end) => [
      `http://a.test/b${end}`,
      `${linked("http://a.test/b")}${end}`,
    ]),
  ])("links the bare address in %j", (text, expected) => {
    expect(shown(parseInline(text))).toBe(expected);
  });

  it.each([
    "xhttp://a.test/",
    "éhttp://a.test/",
    "имяhttp://a.test/",
    "7http://a.test/",
    "٧http://a.test/",
    "https:/a.test/",
    "https//a.test",
    "https://",
    "http://.,;",
    "http://user:pass@a.test/",
    "hello h",
  ])("links nothing in %j", (text) => {
    expect(parseInline(text)).toEqual([{ type: "text", text }]);
  });
});
