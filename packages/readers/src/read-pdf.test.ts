import { describe, expect, it } from "vitest";
import { makePdf } from "../test/make-pdf.ts";
import { readDocument } from "./read-document.ts";
import type { ReadOptions } from "./read-options.ts";

const read = async (bytes: Uint8Array, options?: ReadOptions) => await readDocument(bytes, { name: "a.pdf" }, options);

/** Makes a PDF with the text "Hello", and replaces a part of it. */
function damaged(part: string, other: string): Uint8Array {
  const whole = Buffer.from(makePdf([["Hello"]])).toString("latin1");
  expect(whole).toContain(part);
  return Buffer.from(whole.replace(part, other), "latin1");
}

describe("readDocument of a PDF", () => {
  it("reads the text with the title, and the place of each page", async () => {
    const { content, metadata, places } = await read(makePdf([["First page", "with two lines"], [], ["Third (page)"]]));

    expect(content).toBe("First page\nwith two lines\n\nThird (page)\n\n");
    expect(metadata).toEqual({ title: "A title" });
    expect(places).toEqual([
      { start: 0, page: 1 },
      { start: 27, page: 3 },
    ]);
  });

  it.each<[string, Uint8Array, ReadOptions, string]>([
    [
      "too many pages",
      makePdf([["a"], ["b"], ["c"]]),
      { maxPages: 2 },
      "The PDF has 3 pages, expected at most 2 (maxPages).",
    ],
    ["too little time", makePdf([["a"]]), { timeoutMs: 1 }, "The PDF took longer than 1 ms to read (timeoutMs)."],
    ["other bytes", Buffer.from("not a PDF"), {}, "The PDF cannot be read."],
    ["a page that is its own parent", damaged("/Kids [4 0 R]", "/Kids [2 0 R]"), {}, "The PDF cannot be read."],
    ["a truncated file", makePdf([["a"]]).subarray(0, 100), {}, "The PDF cannot be read."],
  ])("rejects one with %s in a sentence", async (...[, bytes, options, message]) => {
    await expect(read(bytes, options)).rejects.toMatchObject({ code: "invalid_value", message });
  });

  it("reads one with as many pages as allowed", async () => {
    const bytes = makePdf([["a"], ["b"]]);
    for (const maxPages of [2, 3]) expect((await read(bytes, { maxPages })).content).toBe("a\n\nb\n\n");
    await expect(read(bytes, { maxPages: 1 })).rejects.toMatchObject({ code: "invalid_value" });
  });

  it("leaves the caller's bytes as they are", async () => {
    const bytes = makePdf([["a"]]);
    const before = Buffer.from(bytes);
    await read(bytes);

    expect(Buffer.from(bytes).equals(before)).toBe(true);
  });
});
