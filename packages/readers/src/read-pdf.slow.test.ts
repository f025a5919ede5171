import { constants, deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { makePdf } from "../test/make-pdf.ts";
import { readDocument } from "./read-document.ts";

const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

/** Makes a PDF with the text "Hello", and replaces a part of it. */
function damaged(part: string, other: string): Uint8Array {
  const whole = Buffer.from(makePdf([["Hello"]])).toString("latin1");
  expect(whole).toContain(part);
  return Buffer.from(whole.replace(part, other), "latin1");
}

/** Makes a small PDF whose page unpacks to this many megabytes of spaces. */
function bomb(megabytes: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(2 ** 20, " "), { finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array.from({ length: megabytes }, () => block);
  const packed = Buffer.concat([Buffer.of(0x78, 0x9c), ...blocks, Buffer.of(3, 0)]);
  const [head = "", rest = ""] = Buffer.from(makePdf([["a"]]))
    .toString("latin1")
    .split(/<< \/Length \d+ >>\nstream\n/);
  const dictionary = `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`;
  return Buffer.concat([
    Buffer.from(head + dictionary, "latin1"),
    packed,
    Buffer.from(rest.slice(rest.indexOf("\nendstream")), "latin1"),
  ]);
}

it.each([
  [
    "10,000 pages",
    makePdf(Array.from({ length: 10_000 }, () => [""])),
    "The PDF has 10000 pages, expected at most 2000 (maxPages).",
  ],
  ["a page that unpacks to 600 MB", bomb(600), "The PDF needs too much memory."],
])("readDocument rejects a PDF with %s in a sentence", async (_what, bytes, message) => {
  await expect(readDocument(bytes, { name: "a.pdf" })).rejects.toMatchObject({ code: "invalid_value", message });
});

it.each([
  ["is no font", "<< /Type /Fnot >>", ""],
  [
    "has a file that is none",
    "<< /Type /Font /Subtype /TrueType /BaseFont /X /FontDescriptor << /Type /FontDescriptor /FontName /X /Flags 4 /FontFile2 5 0 R >> >>",
    "Hello",
  ],
  [
    "is a part of itself",
    "<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding 5 0 R /ToUnicode 5 0 R /DescendantFonts [3 0 R] >>",
    "",
  ],
])("readDocument reads a PDF whose font %s, without the text that it cannot tell", async (_what, font, text) => {
  expect((await readDocument(damaged(helvetica, font), { name: "a.pdf" })).content.trim()).toBe(text);
});
