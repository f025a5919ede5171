import { KnowledgeBase, InMemoryVectorStore } from "@troupe/core";
import { FakeEmbeddings } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { makeDocx, paragraph } from "../test/make-docx.ts";
import { readDocument } from "./read-document.ts";
import type { ReadOptions } from "./read-options.ts";

const read = async (bytes: Uint8Array, options?: ReadOptions) => await readDocument(bytes, { name: "a.docx" }, options);

const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`;
const table = `<w:tbl><w:tr>${cell("a")}${cell("b|c")}</w:tr><w:tr>${cell("1")}${cell("é")}</w:tr></w:tbl>`;

describe("readDocument of DOCX", () => {
  it("reads headings and tables as Markdown, with the title of the properties", async () => {
    const body = [
      paragraph("The handbook", "T"),
      paragraph("Vacation", "H1"),
      paragraph("Everyone has 25 days."),
      paragraph("Carry over 🎭", "H2"),
      paragraph("Até 5 dias."),
      table,
    ].join("");

    expect(await read(makeDocx(body, "Handbook &amp; more"))).toEqual({
      content: [
        "# The handbook",
        "# Vacation",
        "Everyone has 25 days.",
        "## Carry over 🎭",
        "Até 5 dias.",
        "| a  | b\\|c  | \n| 1  | é  |",
      ].join("\n\n"),
      metadata: { title: "Handbook & more" },
    });
    expect((await read(makeDocx(body))).metadata).toEqual({ title: "The handbook" });
    expect(await read(makeDocx(paragraph("text")))).toEqual({ content: "text" });
  });

  it("decodes each entity in the title once, and leaves what only looks like one", async () => {
    const title = "&lt;a&gt; &amp; &quot;b&quot; &apos;c&apos; &amp;lt; &eacute; 🎭";
    const { metadata } = await read(makeDocx(paragraph("text"), title));
    expect(metadata).toEqual({ title: `<a> & "b" 'c' &lt; &eacute; 🎭` });
  });

  it("keeps the path of headings for citations", async () => {
    const body = ["Vacation", "Carry over"].map((text, index) => paragraph(text, `H${index + 1}`)).join("");
    const content = await read(makeDocx(`${body}${paragraph("Up to five days. ".repeat(100))}`));
    const vectorStore = new InMemoryVectorStore({ embeddings: new FakeEmbeddings() });
    const knowledge = new KnowledgeBase({ name: "kb", vectorStore, chunking: { size: 100 } });
    await knowledge.sync([{ id: "a.docx", hash: "1", read: () => content }]);

    const found = await knowledge.search("five days");
    const places = found.map(({ document }) => document.metadata?.["documentPlace"]);
    expect(places).toContainEqual({ headings: "Vacation › Carry over" });
    await knowledge.close();
  });

  it("leaves the caller's bytes as they are, also in a part of a larger buffer", async () => {
    const docx = makeDocx(paragraph("text"));
    const larger = new Uint8Array(docx.length + 20);
    larger.set(docx, 10);
    const before = Uint8Array.from(larger);

    expect((await read(larger.subarray(10, 10 + docx.length))).content).toBe("text");
    expect(larger).toEqual(before);
  });
});

describe("a hostile or damaged DOCX document", () => {
  const whole = makeDocx(paragraph("text"));

  it.each<[string, () => Uint8Array, ReadOptions, string]>([
    [
      "has too little time",
      () => whole,
      { timeoutMs: 1 },
      "The DOCX document took longer than 1 ms to read (timeoutMs).",
    ],
    ["is text", () => Buffer.from("not a document"), {}, "The DOCX document cannot be read."],
    ["is empty", () => new Uint8Array(), {}, "The DOCX document cannot be read."],
    ["is cut", () => whole.subarray(0, whole.length - 30), {}, "The DOCX document cannot be read."],
    [
      "has a password, or is a DOC",
      () => Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      {},
      "The DOCX document has a password, or is in the older format DOC.",
    ],
  ])("that %s is refused with a sentence", async (...[, make, options, message]) => {
    await expect(read(make(), options)).rejects.toMatchObject({ code: "invalid_value", message });
  });
});
