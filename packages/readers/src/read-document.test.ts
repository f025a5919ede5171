import { describe, expect, it } from "vitest";
import { readDocument } from "./read-document.ts";
import type { ReadOptions } from "./read-options.ts";

const read = async (name: string, content: string | Uint8Array, options?: ReadOptions) =>
  await readDocument(typeof content === "string" ? Buffer.from(content) : content, { name }, options);

describe("readDocument of text", () => {
  it("reads UTF-8, UTF-16 with a mark, and other bytes as Windows-1252", async () => {
    const utf16 = Buffer.from("\ufeffHei på deg", "utf16le");

    expect((await read("a.txt", "Hei på\r\ndeg")).content).toBe("Hei på\ndeg");
    expect((await read("A.TXT", utf16)).content).toBe("Hei på deg");
    expect((await read("a.txt", Uint8Array.of(0x70, 0xe5))).content).toBe("på");
  });

  it("rejects bytes that are not text", async () => {
    await expect(read("a.txt", "a\0b")).rejects.toThrow("The document is not text: it has NUL characters.");
  });

  it("takes the title of Markdown from its first heading, and leaves out front matter", async () => {
    const content = "---\ntitle: x\n---\n# A **title** #\n\nText";

    expect(await read("a.md", content)).toEqual({
      content: "# A **title** #\n\nText",
      metadata: { title: "A **title**" },
    });
    expect(await read("a.md", "Text")).toEqual({ content: "Text" });
  });

  it("reads rows of a table as lines with their numbers", async () => {
    const csv = 'name,"the ""city"""\nAnn,Oslo\n\n"Bob,\nB.",\n,,more\n';

    expect(await read("a.csv", csv)).toEqual({
      content: 'name: Ann; the "city": Oslo\nname: Bob, B.\nmore\n',
      places: [
        { start: 0, row: 2 },
        { start: 28, row: 4 },
        { start: 42, row: 5 },
      ],
    });
    expect((await read("a.tsv", "a\tb\n1\t2")).content).toBe("a: 1; b: 2\n");
    expect((await read("a.csv", "")).content).toBe("");
  });

  it("reads JSON lines, and names the line that is none", async () => {
    const lines = '{"name":"Ann","of":{"a":[1]}}\n\n"text"\n5';

    expect(await read("a.jsonl", lines)).toEqual({
      content: 'name: Ann; of: {"a":[1]}\ntext\n5\n',
      places: [
        { start: 0, row: 1 },
        { start: 25, row: 3 },
        { start: 30, row: 4 },
      ],
    });
    await expect(read("a.jsonl", "1\nx")).rejects.toThrow("Line 2 of the document is not JSON.");
  });
});

describe("readDocument of HTML", () => {
  it("keeps headings, lists, tables and code as Markdown", async () => {
    const html = `<!doctype html><html><head><title> A
      title </title><style>x</style></head><body><nav>Menu</nav><h1>One</h1><p>Some <b>bold</b>
      text<br>next</p><ul><li>a<ul><li>b</li></ul></li><li>c</li></ul><pre>  if (a &lt; b)
  x</pre><table><tr><th>a</th><th>b|c|d||e</th></tr><tr><td><p>1</p><p>2</p></td><td>3</td></tr></table>
      <h2>Two</h2><div>End</div></body></html>`;

    expect(await read("a.html", html)).toEqual({
      content: [
        "# One\n\nSome bold text\nnext\n\n- a\n\n  - b\n\n- c\n\n```\n  if (a < b)\n  x\n```\n\n| a | b\\|c\\|d\\|\\|e | \n|---|---|\n| 1 2  | 3 | \n\n",
        "## Two\n\nEnd",
      ].join(""),
      metadata: { title: "A title" },
    });
  });

  it("leaves out scripts and what is hidden", async () => {
    const hidden = `<p hidden>a</p><p style="display: none">b</p><script>c</script><template>d</template><p>e</p>`;

    expect((await read("a.html", hidden)).content).toBe("e");
  });

  it("reads no external entity", async () => {
    const html = `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><p>a &e; b</p>`;

    expect((await read("a.html", html)).content).toContain("a &e; b");
  });

  it("is the same in the thread of the caller and in one of its own", async () => {
    const html = (count: number) => `<title>é</title><h1>A</h1>${"<p>é 🎭</p>".repeat(count)}`;
    const [short, long] = [await read("a.html", html(9000)), await read("a.html", html(10_000))];

    expect(long).toEqual({ content: `# A${"\n\né 🎭".repeat(10_000)}`, metadata: { title: "é" } });
    expect(short).toEqual({ ...long, content: long.content.slice(0, short.content.length) });
  });

  it("ends in a sentence if its tree needs too much time", async () => {
    await expect(read("a.html", "<p>x".repeat(100_000), { timeoutMs: 1 })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The HTML document took longer than 1 ms to read (timeoutMs).",
    });
  });
});

describe("readDocument", () => {
  it.each([
    ["a.odt", "", {}, 'The format of "a.odt" is not known. Expected a name that ends in .txt'],
    ["a", "", {}, 'The format of "a" is not known.'],
    ["a.txt", "12345", { maxBytes: 4 }, "The document has 5 bytes, expected at most 4 (maxBytes)."],
    ["a.txt", "", { maxPages: 0 }, "maxPages must be a positive integer, got 0."],
    ["a.txt", "", { pages: 1 }, 'Unknown option "pages" of readDocument.'],
  ])("rejects %j with %j and %j", async (...[name, content, options, message]) => {
    await expect(read(name, content, options as ReadOptions)).rejects.toThrow(message);
  });
});
