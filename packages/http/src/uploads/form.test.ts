import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { cleanFileName, Form } from "./form.ts";
import { readUploadOptions } from "./upload-options.ts";

const utf8 = { encoding: "7bit", valueTruncated: false };
const text = { filename: "a.txt", encoding: "7bit", mimeType: "text/plain" };
const png = Buffer.from("89504e470d0a1a0a0000000d494844520000", "hex");

function formOf(options: object = {}): Form {
  return new Form(readUploadOptions(options, { path: "fileUpload" }));
}

async function add(form: Form, pieces: readonly (Buffer | string)[], info: object = {}): Promise<void> {
  const stream = Readable.from(pieces.map((piece) => Buffer.from(piece)));
  await form.addFile("files", stream, { ...text, ...info });
}

describe("the text fields of a form", () => {
  it("are kept by their names, also by those of a prototype", () => {
    const { fields } = formOf();
    const form = formOf();
    form.addField("__proto__", "a", utf8);
    form.addField("constructor", "", { ...utf8, encoding: "binary" });
    form.addField("input", " ä ", { ...utf8, encoding: "8bit" });

    expect(Object.entries(form.fields)).toEqual([
      ["__proto__", "a"],
      ["constructor", ""],
      ["input", " ä "],
    ]);
    expect(Object.keys(fields)).toEqual([]);
  });

  const invalid = "invalid_request";
  const unnamed = "A part of the form has no name. Give each field one.";
  const encoded = 'The field "a" must be sent without a Content-Transfer-Encoding.';
  const long = `The field "${"n".repeat(64)}" must have at most 9 bytes.`;

  it.each<[string, Parameters<Form["addField"]>, { code: string; message: string }]>([
    ["no name", [undefined, "x", utf8], { code: invalid, message: unnamed }],
    [
      "the name of files",
      ["files", "x", utf8],
      { code: invalid, message: "The field files takes files: each part needs a filename." },
    ],
    ["a name twice", ["said", "y", utf8], { code: invalid, message: 'The field "said" must be sent once.' }],
    ["no UTF-8", ["a", undefined, utf8], { code: invalid, message: 'The field "a" must be in UTF-8.' }],
    ["an encoding", ["a", "x", { ...utf8, encoding: "base64" }], { code: invalid, message: encoded }],
    [
      "too many bytes",
      ["n".repeat(65), "x", { ...utf8, valueTruncated: true }],
      { code: "payload_too_large", message: long },
    ],
  ])("are refused with %s", (_, field, refusal) => {
    const form = formOf({ maxFieldSize: 9 });
    form.addField("said", "x", utf8);

    expect(() => form.addField(...field)).toThrow(expect.objectContaining(refusal));
    expect({ ...form.fields }).toEqual({ said: "x" });
  });

  it("are at most twenty", () => {
    const form = formOf();
    for (let at = 0; at < 20; at += 1) form.addField(`f${at}`, "x", utf8);

    expect(() => form.addField("more", "x", utf8)).toThrow("The form must have at most 20 fields.");
    expect(Object.keys(form.fields)).toHaveLength(20);
  });
});

describe("the files of a form", () => {
  it("are kept in their order, without the empty ones", async () => {
    const form = formOf();
    await add(form, ["ab", "c"], { filename: "dir/b.txt" });
    await add(form, [], { filename: undefined });
    await add(form, ["d"], { filename: "", mimeType: "text/csv" });

    const kept = form.files.map(async (each) => {
      const { filename, mimeType, size } = each;
      return { filename, mimeType, size, content: (await each.read()).toString() };
    });
    expect(await Promise.all(kept)).toEqual([
      { filename: "b.txt", mimeType: "text/plain", size: 3, content: "abc" },
      { filename: undefined, mimeType: "text/csv", size: 1, content: "d" },
    ]);
  });

  it.each([
    ["text/plain", "text/plain"],
    ["application/octet-stream", "image/png"],
    [undefined, "image/png"],
  ])("have the type %s as %s, in pieces of any size", async (mimeType, expected) => {
    for (const length of [1, 17, 18]) {
      const form = formOf({ allowedMimeTypes: [expected] });
      const pieces = Array.from({ length: Math.ceil(18 / length) }, (_, at) =>
        png.subarray(at * length, (at + 1) * length),
      );
      await add(form, [...pieces, Buffer.from("rest")], { mimeType });

      const [kept] = form.files;
      expect(kept).toMatchObject({ mimeType: expected, size: 22 });
      expect(await kept?.read()).toEqual(Buffer.concat([png, Buffer.from("rest")]));
    }
  });

  it("are refused where their type is not allowed, unless they are empty", async () => {
    const form = formOf({ allowedMimeTypes: ["image/*", "audio/wav"] });
    await add(form, [], { filename: undefined });

    const message = 'The file "a.txt" in files has type "text/plain". Expected image/*, audio/wav.';
    await expect(add(form, ["x"])).rejects.toMatchObject({ code: "unsupported_media_type", message });
    const nameless = 'A file in files has type "application/octet-stream". Expected image/*, audio/wav.';
    await expect(add(form, ["x"], { filename: "..", mimeType: undefined })).rejects.toMatchObject({
      message: nameless,
    });
  });

  it.each([
    ["input", {}, 'Files must be in the field files, got "input".'],
    [undefined, {}, "Files must be in the field files, got a part without a name."],
    ["files", { encoding: "quoted-printable" }, 'The field "files" must be sent without a Content-Transfer-Encoding.'],
  ])("are refused in the field %s with %j", async (name, info, message) => {
    const form = formOf();
    const adding = form.addFile(name, Readable.from([Buffer.from("x")]), { ...text, ...info });

    await expect(adding).rejects.toMatchObject({ code: "invalid_request", message });
    expect(form.files).toEqual([]);
  });

  it("are refused when they have a name and no content", async () => {
    await expect(add(formOf(), [])).rejects.toMatchObject({
      code: "invalid_request",
      message: 'The file "a.txt" in files is empty.',
    });
  });

  it("are counted, also the empty ones", async () => {
    const form = formOf({ maxFiles: 2 });
    await add(form, [], { filename: undefined });
    await add(form, ["x"]);

    const message = "The field files takes at most 2 files.";
    await expect(add(form, ["x"])).rejects.toMatchObject({ code: "payload_too_large", message });
    expect(form.files).toHaveLength(1);
  });

  it("have at most their bytes, each and together", async () => {
    const form = formOf({ maxFileSize: 20, maxTotalSize: 25 });
    await add(form, ["x".repeat(19), "y"]);
    await add(form, ["12345"]);

    const message = "All files in files together must have at most 25 bytes.";
    await expect(add(form, ["1"])).rejects.toMatchObject({ code: "payload_too_large", message });
    const long = 'The file "a.txt" in files must have at most 20 bytes.';
    await expect(add(formOf({ maxFileSize: 20 }), ["x".repeat(20), "y"])).rejects.toMatchObject({
      code: "payload_too_large",
      message: long,
    });
  });
});

describe("cleanFileName", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    [".", undefined],
    ["a/..", undefined],
    ["a/", undefined],
    [" \u202e ", undefined],
    ["...", "..."],
    ["/etc/passwd", "passwd"],
    [String.raw`C:\dir/a\b.txt`, "b.txt"],
    [" a\u0000\u2028 b\u200f.txt\n", "a b.txt"],
    ["\ud800.txt", "\ufffd.txt"],
    ["é".repeat(255), "é".repeat(255)],
    ["é".repeat(256), "é".repeat(255)],
    [`${"a".repeat(254)}😀`, "a".repeat(254)],
  ])("makes %j to %j", (name, expected) => {
    expect(cleanFileName(name)).toBe(expected);
  });
});
