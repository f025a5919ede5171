import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { encodeForm, formContentType } from "../../test/forms.ts";
import { isFormRequest, readForm } from "./read-form.ts";
import { readUploadOptions } from "./upload-options.ts";

const rules = readUploadOptions({ maxFiles: 1, maxTotalSize: 10, maxFieldSize: 5 }, { path: "fileUpload" });
/** The most bytes of a form by these rules: its files, 20 fields, and 16 KiB for the headers of each part. */
const maxBytes = 10 + 20 * 5 + 21 * 16_384;
const said = { name: "input", body: "Hi" };
const file = { name: "files", filename: "a.txt", type: "text/plain", body: "text" };

/** A request whose body is written by the test. */
function requestOf(headers: Record<string, string> = {}) {
  const body = new PassThrough();
  return { body, request: { body, headers: { "content-type": formContentType, ...headers } } };
}

function countListeners({ body }: ReturnType<typeof requestOf>): number[] {
  return ["data", "close", "error"].map((name) => body.listenerCount(name));
}

/** Reads a form that comes in pieces. */
async function readPieces(pieces: readonly Buffer[], headers?: Record<string, string>) {
  const given = requestOf(headers);
  const reading = readForm(given.request, rules);
  for (const piece of pieces) given.body.write(piece);
  given.body.end();
  return await reading;
}

it.each([
  ["multipart/form-data; boundary=x", true],
  ["Multipart/Form-Data", true],
  ["multipart/form-data ;boundary=x", true],
  ["multipart/form-data2", false],
  ["x-multipart/form-data", false],
  ["application/json", false],
  [undefined, false],
])("readForm tells by the content type %j whether a request is a form", (type, expected) => {
  expect(isFormRequest({ headers: { "content-type": type } })).toBe(expected);
});

describe("readForm", () => {
  it("reads fields and files, whole and byte by byte, and leaves no listener", async () => {
    const bytes = encodeForm(said, { ...file, type: "Text/Plain; charset=utf-8" }, { name: "ä", body: "é" });
    for (const pieces of [[bytes], Array.from(bytes, (byte) => Buffer.of(byte))]) {
      const given = requestOf({ "content-encoding": "Identity" });
      const before = countListeners(given);
      const reading = readForm(given.request, rules);
      for (const piece of pieces) given.body.write(piece);
      given.body.end();
      const form = await reading;

      expect({ ...form.fields }).toEqual({ input: "Hi", ä: "é" });
      expect(form.files).toMatchObject([{ filename: "a.txt", mimeType: "text/plain", size: 4 }]);
      expect(await form.files[0]?.read()).toEqual(Buffer.from("text"));
      expect(countListeners(given)).toEqual(before);
    }
  });

  it("reads a body that the host has made a string of", async () => {
    const given = requestOf();
    given.body.setEncoding("utf8");
    const reading = readForm(given.request, rules);
    given.body.end(encodeForm({ name: "input", body: "é" }));

    expect({ ...(await reading).fields }).toEqual({ input: "é" });
  });

  const invalid = "invalid_request";
  const large = "payload_too_large";

  it.each<[string, Buffer, [code: string, message: string]]>([
    ["has a field twice", encodeForm(said, said), [invalid, 'The field "input" must be sent once.']],
    [
      "has a long field",
      encodeForm({ ...said, body: "123456" }),
      [large, 'The field "input" must have at most 5 bytes.'],
    ],
    [
      "has a long file",
      encodeForm({ ...file, body: "12345678901" }),
      [large, "All files in files together must have at most 10 bytes."],
    ],
    [
      "has a file in another field",
      encodeForm({ ...file, name: "x" }),
      [invalid, 'Files must be in the field files, got "x".'],
    ],
    [
      "has bytes that are no UTF-8",
      encodeForm({ ...said, body: Buffer.of(0xff) }),
      [invalid, 'The field "input" must be in UTF-8.'],
    ],
    [
      "ends too early",
      encodeForm(said).subarray(0, -5),
      [invalid, "The form cannot be read: it ends before its closing boundary."],
    ],
  ])("refuses a form that %s", async (_, bytes, [code, message]) => {
    await expect(readPieces([bytes])).rejects.toMatchObject({ code, message });
  });

  it("takes a field and files of the most bytes", async () => {
    const form = await readPieces([encodeForm({ ...said, body: "12345" }, { ...file, body: "1234567890" })]);

    expect({ ...form.fields }).toEqual({ input: "12345" });
    expect(form.files).toMatchObject([{ size: 10 }]);
  });

  it.each([
    [
      { "content-encoding": "gzip" },
      "unsupported_media_type",
      "The body must be sent uncompressed, without a Content-Encoding.",
    ],
    [{ "content-length": `${maxBytes + 1}` }, "payload_too_large", `The form must have at most ${maxBytes} bytes.`],
    [
      { "content-type": "multipart/form-data" },
      "invalid_request",
      "Content-Type must name the boundary of the form, as in multipart/form-data; boundary=x.",
    ],
  ])("refuses the headers %j before anything is read", async (headers, code, message) => {
    const given = requestOf(headers);

    await expect(readForm(given.request, rules)).rejects.toMatchObject({ code, message });
    expect(given.body.readableDidRead).toBe(false);
  });

  it("takes a form of the most bytes, counted as they come", async () => {
    const form = encodeForm(said);
    const epilogue = Buffer.alloc(maxBytes - form.length, "\n");

    const read = await readPieces([form, epilogue], { "content-length": `${maxBytes}` });
    expect({ ...read.fields }).toEqual({ input: "Hi" });
    const tooLong = { code: "payload_too_large", message: `The form must have at most ${maxBytes} bytes.` };
    await expect(readPieces([Buffer.alloc(maxBytes, "\n"), form])).rejects.toMatchObject(tooLong);
  });

  it("asks for each name of a field, and ends with what the check throws", async () => {
    const asked: string[] = [];
    const given = requestOf();
    const before = countListeners(given);
    const refusal = new Error("No.");
    const reading = readForm(given.request, rules, (name) => {
      asked.push(name);
      if (name === "bad") throw refusal;
    });
    given.body.write(encodeForm(said, file, { name: "bad" }, { name: "later" }));

    await expect(reading).rejects.toBe(refusal);
    expect(asked).toEqual(["input", "bad"]);
    expect(countListeners(given)).toEqual(before);
    expect(given.body.readableFlowing).toBe(true);
  });

  it("ends when its client leaves, before or while it is read", async () => {
    const gone = { code: "cancelled", message: "The client disconnected before the end of the form." };
    const early = requestOf();
    early.body.destroy();
    await expect(readForm(early.request, rules)).rejects.toMatchObject(gone);
    for (const error of [undefined, new Error("reset")]) {
      const given = requestOf();
      const reading = readForm(given.request, rules);
      given.body.write(encodeForm(said).subarray(0, -5));
      setImmediate(() => given.body.destroy(error));
      await expect(reading).rejects.toMatchObject(gone);
    }
  });

  it("refuses a form that a middleware has read", async () => {
    const given = requestOf();
    given.body.end(encodeForm(said));
    await given.body.toArray();

    await expect(readForm(given.request, rules)).rejects.toMatchObject({ code: "invalid_config" });
  });
});
