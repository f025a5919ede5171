import { describe, expect, it } from "vitest";
import { cleanLines, cleanText, cleanUrl, decodeEntities, htmlToLines, htmlToText } from "./index.ts";

describe("the text of a service", () => {
  it("is one line without control and invisible characters", () => {
    expect(cleanText("a\u0000b\u001b[31m\r\n\t c\u202e\u200b\u{e0041}d\u{e0100}\ufeff", 100)).toBe("a b [31m cd");
    expect(cleanText("نمی‌خواهم 👩‍🚀", 100)).toBe("نمی‌خواهم 👩‍🚀");
    expect(cleanText(12, 100)).toBe("");
  });

  it("is cut with an ellipsis, and never within a character", () => {
    expect(cleanText("x".repeat(9), 8)).toBe("xxxxxxx…");
    expect(cleanText("abc🙂🙂🙂", 5)).toBe("abc…");
    expect(cleanText("\ud800 lone", 20)).toBe("\ufffd lone");
    expect(cleanText("y".repeat(50_000_000), 10)).toBe("yyyyyyyyy…");
  });

  it("keeps lines where they are asked for", () => {
    expect(cleanLines("a  b\r\n\r\n\r\n\r\nc\u0007 \n d", 100)).toBe("a b\n\nc\nd");
  });
});

describe("the text of HTML", () => {
  it.each([
    ["Node.js &mdash; Run <b>JavaScript</b>", "Node.js — Run JavaScript"],
    ["<p>a</p><p>b<br>c</p><td>d</td>", "a b c d"],
    ["if a < b && c > d then List<String>", "if a < b && c > d then List<String>"],
    ["x<!-- no --><script>alert('<b>')</script>y<style>p{}</style>z", "x y z"],
    ["How the <script> tag works", "How the tag works"],
    ['cut <a href="https://e.x/?a', "cut"],
    ["&amp;lt;b&amp;gt; stays", "&lt;b&gt; stays"],
    ["&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"],
    [
      "&#x27;&#39;&#8212;&#146;&#0;&#xD800;&#x110000;&unknown;&nbsp;&eacute;&yuml;&nbsp",
      "''—’\ufffd\ufffd\ufffd&unknown; éÿ&nbsp",
    ],
    ["&#x202e;hidden&#8203;", "hidden"],
  ])("%j becomes %j", (html, text) => {
    expect(htmlToText(html, 200)).toBe(text);
  });

  it("keeps the lines of blocks where they are asked for", () => {
    expect(htmlToLines("<div>Hello\nAda,</div><p>two<br>lines</p>\r\n<ul><li>x</li></ul>", 200)).toBe(
      "Hello Ada,\n\ntwo\nlines\n\nx",
    );
  });

  it.each(["<", "<a ", "<script>", "<!--", "&", "&#", "<p", "</script", "\n"])(
    "takes little time for a megabyte of %j",
    (piece) => {
      const html = piece.repeat(1_000_000 / piece.length);

      expect(htmlToLines(html, 1_000_000).length).toBeLessThanOrEqual(1_000_000);
    },
  );

  it("decodes entities in one pass", () => {
    expect(decodeEntities("&amp;amp;quot;")).toBe("&amp;quot;");
  });
});

describe("an address of a service", () => {
  it.each([
    ["https://e.x/a?b=1#c", "https://e.x/a?b=1#c"],
    [" HTTP://E.X ", "http://e.x/"],
    ["java\nscript:alert(1)", undefined],
    ["javascript:alert(1)", undefined],
    ["data:text/html,x", undefined],
    ["file:///etc/passwd", undefined],
    ["//e.x/a", undefined],
    ["https://user:secret@e.x/", undefined],
    [`https://e.x/${"a".repeat(2048)}`, undefined],
    [`https://e.x/${"é".repeat(1000)}`, undefined],
    [undefined, undefined],
  ])("%j becomes %j", (address, shown) => {
    expect(cleanUrl(address)).toBe(shown);
  });
});

describe("decodeEntities", () => {
  it.each([
    ["&nbsp;&iexcl;&copy;&reg;&macr;&deg;&plusmn;&micro;&para;&frac12;&iquest;", "\u00a0¡©®¯°±µ¶½¿"],
    ["&Agrave;&AElig;&Ccedil;&ETH;&Ntilde;&Ouml;&times;&Oslash;&Uuml;&THORN;&szlig;", "ÀÆÇÐÑÖ×ØÜÞß"],
    ["&agrave;&aelig;&ccedil;&eth;&ntilde;&ouml;&divide;&oslash;&uuml;&thorn;&yuml;", "àæçðñö÷øüþÿ"],
    ["&amp;&lt;&gt;&quot;&apos;&mdash;&ndash;&hellip;&bull;&euro;&trade;", "&<>\"'—–…•€™"],
    ["&lsquo;&rsquo;&sbquo;&ldquo;&rdquo;&bdquo;&lsaquo;&rsaquo;&prime;&Prime;", "‘’‚“”„‹›′″"],
    ["&larr;&rarr;&minus;&infin;&asymp;&ne;&le;&ge;&oelig;&OElig;&scaron;&Scaron;&Yuml;", "←→−∞≈≠≤≥œŒšŠŸ"],
    ["&dagger;&permil;a&ZeroWidthSpace;b&ensp;c", "†‰ab c"],
    ["&#128;&#133;&#150;&#153;&#159;", "€…–™Ÿ"],
    ["&#127;&#160;&#X41;&#x1F642;&#1114111;", "\u007f\u00a0A🙂\u{10ffff}"],
    ["&#0;&#xdfff;&#1114112;", "\ufffd\ufffd\ufffd"],
    ["&#;&#x;&;&a;&Nbsp;&constructor;&#12345678;&amp", "&#;&#x;&;&a;&Nbsp;&constructor;&#12345678;&amp"],
  ])("turns %j into %j", (text, expected) => {
    expect(decodeEntities(text)).toBe(expected);
  });
});

describe("the limits of texts", () => {
  it.each([
    ["abcd", 4, "abcd"],
    ["abcde", 4, "abc…"],
    ["ab cde", 4, "ab…"],
    ["a\u2028b\u2029c", 9, "a b c"],
  ])("make of %j, in %d characters, %j", (text, longest, expected) => {
    expect(cleanText(text, longest)).toBe(expected);
  });

  it("read four times as much and 1000 characters more than they keep", () => {
    const hidden = (count: number) => `${"\u200b".repeat(count)}ab`;

    expect([cleanText(hidden(1038), 10), cleanText(hidden(1039), 10), cleanText(hidden(1040), 10)]).toEqual([
      "ab",
      "a",
      "",
    ]);
    expect([cleanLines(hidden(1038), 10), cleanLines(hidden(1040), 10)]).toEqual(["ab", ""]);
  });

  it("keep one empty line between others, whatever ends a line", () => {
    expect(cleanLines("\na\r\rb\u2028\u2029\n\nc\n", 99)).toBe("a\n\nb\n\nc");
    expect(cleanLines(7, 9)).toBe("");
    expect([htmlToText(null, 9), htmlToLines(undefined, 9)]).toEqual(["", ""]);
  });

  it("take addresses of up to 2048 characters, as they are written and as they are opened", () => {
    const sized = (length: number) => `https://e.x/${"a".repeat(length - 12)}`;

    expect(cleanUrl(sized(2048))).toBe(sized(2048));
    expect(cleanUrl(sized(2049))).toBeUndefined();
    expect(cleanUrl("https://user@e.x/")).toBeUndefined();
    expect(cleanUrl("https://:p@e.x/")).toBeUndefined();
  });
});
