import { describe, expect, it } from "vitest";
import { makePdf } from "../test/make-pdf.ts";
import { readDocument } from "./read-document.ts";
import { decodeText, withTitle } from "./read-text.ts";

const read = async (name: string, content: string) => await readDocument(Buffer.from(content), { name });

describe("the text of bytes", () => {
  it.each([
    ["UTF-8", [0xc3, 0xa9], "é"],
    ["UTF-8 with a mark", [0xef, 0xbb, 0xbf, 0xc3, 0xa9], "é"],
    ["UTF-16, little end first", [0xff, 0xfe, 0xe9, 0x00], "é"],
    ["UTF-16, big end first", [0xfe, 0xff, 0x00, 0xe9], "é"],
    ["UTF-16 that is cut", [0xff, 0xfe, 0xe9], "ÿþé"],
    ["half a mark", [0xff, 0x41], "ÿA"],
    ["the other half of a mark", [0x41, 0xfe], "Aþ"],
    ["Windows-1252", [0x80, 0xe9], "€é"],
    ["nothing", [], ""],
    ["line ends", [0x61, 0x0d, 0x0a, 0x62, 0x0d, 0x63], "a\nb\rc"],
  ])("the text of bytes in %s is decoded", (_, bytes, text) => {
    expect(decodeText(Uint8Array.from(bytes))).toBe(text);
  });
});

describe("the title of a document", () => {
  it.each([
    ["", undefined],
    ["  ", undefined],
    [" a\n b ", "a b"],
    ["x".repeat(200), "x".repeat(200)],
    ["x".repeat(201), "x".repeat(200)],
    [`${"x".repeat(199)}🎭`, `${"x".repeat(199)}\ufffd`],
  ])("%j is %j", (title, shown) => {
    expect(withTitle("c", title)).toEqual(
      shown === undefined ? { content: "c" } : { content: "c", metadata: { title: shown } },
    );
  });

  it.each([
    ["# One\n\n# Two", "One"],
    ["## Sub\n# Main", "Main"],
    ["text\n#\tTab ##", "Tab"],
    ["#No", undefined],
    ["#  ", undefined],
    ["a # b", undefined],
    [`${"x".repeat(9_993)}\n# Late`, "Late"],
    [`${"x".repeat(9_994)}\n# Late`, "Lat"],
    ["# C#", "C#"],
    ["# C# ##", "C#"],
    ["# ##", undefined],
    [`# a${" ".repeat(9000)}x#y`, "a x#y"],
    [`# a${" #".repeat(90)}x`, `a${" #".repeat(90)}x`],
    ["---\n# in front\n---\n# Behind", "Behind"],
    ["---\nnever closed\n# A", "A"],
    ["x\n---\n# In\n---\n", "In"],
  ])("the title of a document of the Markdown %j is %j", async (text, title) => {
    const { metadata } = await read("a.markdown", text);

    expect(metadata?.["title"]).toBe(title);
  });
});

it.each(["csv", "tsv"])("a small %s with a long header is refused before its text becomes huge", async (ending) => {
  const table = (count: number) => Buffer.from(`${"é".repeat(147)}\n${"1\n".repeat(count)}`);
  const limits = { maxBytes: 1000 };

  expect((await readDocument(table(26), { name: `a.${ending}` }, limits)).places).toHaveLength(26);
  await expect(readDocument(table(27), { name: `a.${ending}` }, limits)).rejects.toMatchObject({
    code: "invalid_value",
    message: "The table becomes a text of more than 4000 characters. Split it into several documents.",
  });
});

it.each<[string, string, string]>([
  ["a.csv", `é\n${"\n".repeat(4000)}1`, "4002 é: 1"],
  ["a.jsonl", `${"\n".repeat(8000)}1`, "8001 1"],
  ["a.csv", `a\n"${"x".repeat(8000)}`, `2 a: ${"x".repeat(8000)}`],
])("%s with many empty lines, or one that is never closed, is read: %#", async (name, text, line) => {
  expect(await rows(name, text)).toEqual([line]);
});

it("a.csv with too many columns is refused", async () => {
  await expect(read("a.csv", ",".repeat(10_001))).rejects.toMatchObject({
    code: "invalid_value",
    message: "The table has more than 10000 columns. Split it into several documents.",
  });
});

it("the name of a column is cut to 200 characters in each row", async () => {
  const { content } = await readDocument(Buffer.from(`${"é".repeat(201)}\n1`), { name: "a.csv" });

  expect(content).toBe(`${"é".repeat(200)}: 1\n`);
});

/** Returns the lines of a table's content, each behind the number of its row. */
async function rows(name: string, text: string): Promise<string[]> {
  const { content, places = [] } = await read(name, text);
  const lines = content.split("\n").slice(0, -1);
  expect(places.map(({ start }) => content.slice(start).split("\n")[0])).toEqual(lines);
  return lines.map((line, index) => `${places[index]?.row} ${line}`);
}

describe("the rows of a table", () => {
  it.each<[string, string[]]>([
    ["a,b\n1,2", ["2 a: 1; b: 2"]],
    ["a,b\n1,2\n", ["2 a: 1; b: 2"]],
    ["a,b\r\n1,2\r\n", ["2 a: 1; b: 2"]],
    ["a,b\n1", ["2 a: 1"]],
    ["a\n1,2,3", ["2 a: 1; 2; 3"]],
    ["a,b\n,2", ["2 b: 2"]],
    ["a,b\n1,", ["2 a: 1"]],
    ["a,b\n, ", []],
    ["a,b\n\n1,2\n\n", ["3 a: 1; b: 2"]],
    [" a  b ,c\n 1  2 ,3", ["2 a b: 1 2; c: 3"]],
    ['a\n"x ""y"" z"', ['2 a: x "y" z']],
    ['a\n"x,\ny"', ["2 a: x, y"]],
    ['a\n"never closed', ["2 a: never closed"]],
    ['a\nx"y"z', ['2 a: x"y"z']],
    ['a\n""', []],
    ["a", []],
    ["é,ö\nå,🎭", ["2 é: å; ö: 🎭"]],
  ])("%j are %j", async (text, lines) => {
    expect(await rows("a.csv", text)).toEqual(lines);
    expect(await rows("a.tsv", text.replaceAll(",", "\t"))).toEqual(
      lines.map((line) => (line.includes(", ") ? line.replace(", ", " ") : line)),
    );
  });
});

describe("the lines of JSON", () => {
  it.each<[string, string[]]>([
    ['{"a":1}', ["1 a: 1"]],
    ['{"a":null,"b":true,"c":[1,"é"],"d":{"e":1}}', ['1 a: null; b: true; c: [1,"é"]; d: {"e":1}']],
    ['"a\\n b"', ["1 a b"]],
    ["[1, 2]", ["1 [1,2]"]],
    ["null", ["1 null"]],
    ["{}", []],
    ['""', []],
    ['\n \n{"a":"x"}\n', ["3 a: x"]],
    ['{"":"x"," y ":"z"}', ["1 x; y: z"]],
  ])("%j are %j", async (text, lines) => {
    expect(await rows("a.jsonl", text)).toEqual(lines);
  });

  it.each([
    ["x", 1],
    ["1\n\n{", 3],
  ])("%j are refused for line %i", async (text, line) => {
    await expect(read("a.jsonl", text)).rejects.toMatchObject({
      code: "invalid_value",
      message: `Line ${line} of the document is not JSON.`,
    });
  });
});

const outside = "script style template noscript svg math iframe object nav select textarea button title".split(" ");
const paragraphs =
  "address article aside blockquote dd details dialog div dl dt fieldset figcaption figure footer form header main section summary".split(
    " ",
  );

/** Documents in HTML, by what they show of the format. */
const documents: Readonly<Record<string, string>> = {
  "elements that are left out": `<p>a</p>${outside.map((name) => `<${name}>no ${name}</${name}>`).join("")}<p>b</p>`,
  "elements that are paragraphs": paragraphs.map((name) => `before<${name}>${name}</${name}>`).join(""),
  "headings of each level": [1, 2, 3, 4, 5, 6].map((level) => `<h${level}>h${level} <b>é</b></h${level}>`).join("x"),
  "spaces and lines": "  a  <b> b </b>\n c<br> d<br/>e <i></i> f <hr> g",
  "lists in lists": "<ul><li>a<ol><li>b<ul><li>c</li></ul></li></ol></li><li><p>d</p><p>e</p></li></ul>after",
  "lists that nest deep": "<ul><li>x".repeat(11),
  "a list item without a list": "<li>a</li>b",
  "code with code in it": "a<pre>  x\n\n <pre>y</pre> <p>z</p>|</pre>b<pre>c\n</pre>d<pre></pre>",
  "a table":
    "<table><caption>C|</caption><thead><tr><th>a|b<th>c</thead><tr><td>1<br>2<td><ul><li>x<li>y</ul></tr><tr><td></table>z",
  "a table with headers in rows": "<table><tr><th>a<td>1</tr><tr><td>b<td>2</tr></table>",
  "a table in a table": "<table><tr><td>a<table><tr><th>b</table>c<td>d</table>e|f",
  "a cell outside a row": "<div><td>a</td></div>",
  "hidden elements": [
    "<p hidden>a</p>",
    '<p style="DISPLAY : none">b</p>',
    '<p style="visibility:hidden">c</p>',
    '<p style="display:block">d</p>',
    '<p data-hidden title="hidden">e</p>',
  ].join(""),
  "a title in the head, and another":
    "<head><title> A \n é</title><meta><style>x</style></head><body><svg><title>B</title></svg>c",
  "a title without a head": "<p>a</p><title>T</title>",
  "words of a table's bound": `<table><tr>${"<th>".repeat(101)}</table>`,
};

// What the reader makes of HTML. If a change is meant, write the outline anew by `vitest --update`.
it("HTML is read as this Markdown", async () => {
  const outline: string[] = [];
  for (const [title, html] of Object.entries(documents)) {
    const { content, metadata } = await read("a.HTM", html);
    outline.push(
      `# ${title}\n${JSON.stringify(metadata ?? {})}\n${JSON.stringify(content).replaceAll("\\n", "\\n\n")}`,
    );
  }

  await expect(`${outline.join("\n\n")}\n`).toMatchFileSnapshot("../test/outlines/html.txt");
});

describe("a PDF", () => {
  const readPages = async (pages: string[][], options = {}, title = "T") =>
    await readDocument(makePdf(pages, title), { name: "a.PDF" }, options);

  it("has a paragraph at a gap of more than a line, and no spaces at the ends of lines", async () => {
    const { content } = await readPages([["a ", "b", "", "", "c", "", "", "", "", "d"]]);

    expect(content).toBe("a\nb\n\nc\n\nd\n\n");
  });

  it("may have as many pages as its limit", async () => {
    expect((await readPages([["a"], ["b"]], { maxPages: 2 })).places).toEqual([
      { start: 0, page: 1 },
      { start: 3, page: 2 },
    ]);
    await expect(readPages([["a"], ["b"]], { maxPages: 1 })).rejects.toThrow("has 2 pages, expected at most 1");
  });

  it("has no title if that is blank", async () => {
    expect((await readPages([["a"]], {}, " ")).metadata).toBeUndefined();
  });
});

describe("a document", () => {
  it("may have as many bytes as its limit", async () => {
    const bytes = Buffer.from("ééé");

    expect(await readDocument(bytes, { name: "a.txt" }, { maxBytes: 6 })).toEqual({ content: "ééé" });
    await expect(readDocument(bytes, { name: "a.txt" }, { maxBytes: 5 })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The document has 6 bytes, expected at most 5 (maxBytes).",
    });
  });

  it.each<[unknown, unknown, string]>([
    ["text", "a.txt", "bytes"],
    [Buffer.from(""), 7, "name"],
  ])("of %j with the name %j is refused", async (bytes, name, field) => {
    await expect(readDocument(bytes as never, { name: name as never })).rejects.toThrow(field);
  });

  it.each(["txt", "md", "markdown", "html", "htm", "csv", "tsv", "jsonl"])(
    "a document of the format %s is read",
    async (ending) => {
      expect((await read(`dir.x/é.${ending.toUpperCase()}`, ending === "jsonl" ? "1" : "a\tb\n1\t2")).content).not.toBe(
        "",
      );
    },
  );

  it("a document of an unknown format is refused with the formats that are known", async () => {
    await expect(read(`${"x".repeat(70)}.doc`, "")).rejects.toMatchObject({
      code: "invalid_value",
      message: `The format of "${"x".repeat(60)}.doc" is not known. Expected a name that ends in .txt, .md, .markdown, .html, .htm, .pdf, .docx, .csv, .tsv, .jsonl.`,
    });
  });
});
