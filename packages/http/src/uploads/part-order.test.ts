import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { encodeForm, formContentType } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { PartScanner } from "./part-scanner.ts";
import type { PartFacts } from "./part-scanner.ts";
import { readForm } from "./read-form.ts";
import { readUploadOptions } from "./upload-options.ts";

const bytes = Buffer.from([0x00, 0xff, 0xc3, 0x0d, 0x0a, 0x80]);

/** Parts of each kind, with the facts that hold whatever stands beside them. */
const kinds: Readonly<Record<string, { readonly part: FormPart; readonly facts: PartFacts }>> = {
  text: { part: { name: "input", body: "é€😀" }, facts: { mimeType: undefined, isUtf8: true } },
  empty: { part: { name: "sessionId", body: "" }, facts: { mimeType: undefined, isUtf8: true } },
  broken: { part: { name: "userId", body: bytes }, facts: { mimeType: undefined, isUtf8: false } },
  half: { part: { name: "apiKey", body: Buffer.from([0xe2, 0x82]) }, facts: { mimeType: undefined, isUtf8: false } },
  latin: {
    part: { name: "note", body: Buffer.from([0xe9]), type: "text/plain; charset=latin1" },
    facts: { mimeType: "text/plain", isUtf8: true },
  },
  image: {
    part: { name: "files", filename: "ä.png", type: "image/png", body: bytes },
    facts: { mimeType: "image/png", isUtf8: true },
  },
  unnamed: {
    part: { name: "files", type: "application/octet-stream", body: bytes },
    facts: { mimeType: "application/octet-stream", isUtf8: true },
  },
};
type Kind = (typeof kinds)[string];

function permutations<Item>(items: readonly Item[], size: number): Item[][] {
  if (size === 0) return [[]];
  return items.flatMap((item) => permutations(items, size - 1).map((rest) => [item, ...rest]));
}

function scan(form: Buffer, size: number): readonly PartFacts[] {
  const scanner = new PartScanner("edge", 10);
  for (let at = 0; at < form.length; at += size) scanner.add(form.subarray(at, at + size));
  return scanner.parts;
}

describe("the parts of a form", () => {
  it("are each read by their own headers, in any order, in pieces of any size", () => {
    for (const row of permutations(Object.entries(kinds), 3)) {
      const form = encodeForm(...row.map(([, { part }]) => part));
      const expected = row.map(([, { facts }]) => facts);
      const order = row.map(([kind]) => kind).join(", ");
      for (const size of [form.length, 1, 11]) expect(scan(form, size), `${order} by ${size}`).toEqual(expected);
    }
  });

  const rules = readUploadOptions({}, { path: "fileUpload" });

  async function read(parts: readonly FormPart[]) {
    const body = new PassThrough();
    const reading = readForm({ body, headers: { "content-type": formContentType } }, rules);
    body.end(encodeForm(...parts));
    const form = await reading;
    const files = await Promise.all(form.files.map(async (file) => [file.filename, await file.read()]));
    return { fields: { ...form.fields }, files };
  }

  const { text, empty, image } = kinds as Record<"text" | "empty" | "image", Kind>;
  const second = { part: { ...image.part, filename: "b.bin", type: "application/x-b" } };

  it.each(permutations([text, empty, image, second], 4).filter((row) => new Set(row).size === 4))(
    "become the same fields and files in each order (%#)",
    async (...row) => {
      const { fields, files } = await read(row.map(({ part }) => part));

      expect(fields).toEqual({ input: "é€😀", sessionId: "" });
      expect(new Set(files.map(([name]) => name))).toEqual(new Set(["ä.png", "b.bin"]));
      for (const [, content] of files) expect(content).toEqual(bytes);
    },
  );
});
