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
