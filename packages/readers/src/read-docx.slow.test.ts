import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { docxParts, makeDocx, paragraph } from "../test/make-docx.ts";
import { readDocument } from "./read-document.ts";
import type { ReadOptions } from "./read-options.ts";
import { packParts } from "./zip-parts.ts";

const read = async (bytes: Uint8Array, options?: ReadOptions) => await readDocument(bytes, { name: "a.docx" }, options);

/** Packs parts with compression, and lets the archive lie about the size of each part. */
function deflated(parts: Record<string, Uint8Array>): Uint8Array {
  const packed = Object.entries(parts).map(([name, bytes]) => ({ name, bytes: deflateRawSync(bytes) }));
  const archive = packParts(packed);
  // The method of compression stands 8 bytes behind a local mark, and 10 bytes behind that of an entry.
  for (let at = 0; at < archive.length - 4; at++) {
    const mark = archive.readUInt32LE(at);
    if (mark === 0x04034b50) archive.writeUInt16LE(8, at + 8);
    if (mark === 0x02014b50) archive.writeUInt16LE(8, at + 10);
  }
  return archive;
}

describe("a hostile DOCX document", () => {
  const bomb = () => deflated({ ...docxParts(paragraph("text")), "word/other.xml": Buffer.alloc(5_000_000, " ") });

  it("is read if it unpacks to no more than the bound", async () => {
    expect((await read(deflated(docxParts(paragraph("compressed"))))).content).toBe("compressed");
    expect((await read(bomb(), { maxBytes: 2_600_000 })).content).toBe("text");
  });

  it.each<[string, () => Uint8Array, ReadOptions, string]>([
    [
      "unpacks to too much",
      bomb,
      { maxBytes: 2_400_000 },
      "The DOCX document unpacks to more than 4800000 bytes, twice the limit (maxBytes).",
    ],
    ["is another archive", () => packParts([]), {}, "The DOCX document cannot be read."],
    [
      "is not well-formed",
      () => makeDocx("", "", { "word/document.xml": Buffer.from("<w:document") }),
      {},
      "The DOCX document cannot be read.",
    ],
    ["nests deep", () => makeDocx("<w:sdt><w:sdtContent>".repeat(100_000)), {}, "The DOCX document cannot be read."],
  ])("that %s is refused with a sentence", async (...[, make, options, message]) => {
    await expect(read(make(), options)).rejects.toMatchObject({ code: "invalid_value", message });
  });

  it("reads no external entity, and expands no entity many times", async () => {
    const doctype = [
      '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY a "aaaaaaaaaa">',
      ...Array.from({ length: 12 }, (_, at) => `<!ENTITY a${at} "${`&a${at === 0 ? "" : at - 1};`.repeat(10)}">`),
      "]>",
    ].join("");
    const text = String(docxParts(paragraph("a &e; &a11; b"))["word/document.xml"]).replace("?>", `?>${doctype}`);
    const docx = makeDocx("", "", { "word/document.xml": Buffer.from(text) });
    const answer = await read(docx).then(
      ({ content }) => content,
      (error: unknown) => String(error),
    );

    expect(answer).not.toContain("root:");
    expect(answer.length).toBeLessThan(1000);
  });

  it("reads no file that it links to as a picture", async () => {
    const picture = '<w:p><w:r><w:drawing><a:blip r:link="r9"/></w:drawing></w:r></w:p>';
    const link =
      '<Relationship Id="r9" Type="x/image" Target="file:///etc/passwd" TargetMode="External"/></Relationships>';
    const relations = String(docxParts("")["word/_rels/document.xml.rels"]).replace("</Relationships>", link);
    const docx = makeDocx(`${paragraph("text")}${picture}`, "", {
      "word/_rels/document.xml.rels": Buffer.from(relations),
    });

    await expect(
      read(docx).then(
        ({ content }) => content,
        () => "refused",
      ),
    ).resolves.toMatch(/^(text|refused)$/);
  });
});
