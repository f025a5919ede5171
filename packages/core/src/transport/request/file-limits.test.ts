import { describe, expect, it } from "vitest";
import { readOptions } from "../../base/errors/read-options.ts";
import { checkDataParts, checkFileType, fileLimitOptions, detectMimeType } from "./file-limits.ts";

const rulesOf = (options: object) => readOptions(fileLimitOptions, options, {});
const small = rulesOf({ maxFileSize: 6 });
const pngs = rulesOf({ allowedMimeTypes: ["image/png", "audio/*"] });
const base64 = (bytes: number): string => Buffer.alloc(bytes, "a").toString("base64");
const png = Buffer.from("\x89PNG\r\n\x1a\n0123456789", "latin1").toString("base64");
const refused = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) }) as Error;

describe("checkDataParts", () => {
  it.each([1, 2, 3, 4, 5, 6, 7])("takes data of %s bytes where so many are allowed, and no byte more", (most) => {
    const rules = rulesOf({ maxFileSize: most });
    const forms = (data: string): string[] => [data, data.replaceAll("=", ""), `DATA:image/png;base64,${data}`];

    for (const data of [...forms(base64(most)), ...forms(base64(0))]) {
      expect(() => checkDataParts({ input: [{ data }] }, rules), data).not.toThrow();
    }
    for (const data of [...forms(base64(most + 1)), ...forms(base64(most + 9))]) {
      expect(() => checkDataParts({ input: [{ data }] }, rules), data).toThrow(
        refused("payload_too_large", `input[0].data must have at most ${most} bytes.`),
      );
    }
  });

  it.each<[string, object]>([
    ["the type that a part names", { data: base64(1), mimeType: "image/png" }],
    ["a type in capitals, with parameters", { data: base64(1), mimeType: "Image/PNG ; a=b" }],
    ["a family of types", { data: base64(1), mimeType: "audio/wav" }],
    ["the type of a data URL", { data: `data:image/png;base64,${base64(30)}` }],
    ["the type by the first bytes", { data: png }],
  ])("takes %s", (_, part) => {
    expect(() => checkDataParts({ input: [part] }, pngs)).not.toThrow();
  });

  it.each<[string, object, string]>([
    ["another type", { data: base64(1), mimeType: "image/gif" }, '"image/gif"'],
    ["a type that only begins alike", { data: base64(1), mimeType: "image/png2" }, '"image/png2"'],
    ["an empty type", { data: base64(1), mimeType: "" }, '""'],
    ["another type of a data URL", { data: `data:text/html;base64,${base64(30)}` }, '"text/html"'],
    ["bytes of no known type", { data: base64(30) }, '"application/octet-stream"'],
    ["a type that is claimed over the first bytes", { data: png, mimeType: "text/html" }, '"text/html"'],
    ["a number as type, where the bytes tell none", { data: base64(30), mimeType: 7 }, '"application/octet-stream"'],
  ])("refuses %s", (_, part, type) => {
    const error = refused("unsupported_media_type", `input[0].data has type ${type}. Expected image/png, audio/*.`);
    expect(() => checkDataParts({ input: [part] }, pngs)).toThrow(error);
  });

  it("checks every part of the input and of the messages, and names its place", () => {
    const part = { data: base64(7) };

    expect(() => checkDataParts({ input: ["a", null, part] }, small)).toThrow(refused("payload_too_large", "input[2]"));
    expect(() => checkDataParts({ messages: [{ content: "a" }, { content: [{}, part] }] }, small)).toThrow(
      refused("payload_too_large", "messages[1].content[1].data"),
    );
  });

  it("leaves web addresses, and what is no content part, to others", () => {
    const data = "https://example.org/a-long-address.png";
    for (const input of [
      undefined,
      null,
      "text",
      7,
      {},
      [],
      [{ data }],
      [{ data: data.toUpperCase() }],
      [{ data: 7 }],
    ]) {
      expect(() =>
        checkDataParts({ input, messages: input }, rulesOf({ maxFileSize: 1, allowedMimeTypes: ["a/b"] })),
      ).not.toThrow();
    }
    for (const messages of [[null], [7], [{}], [{ content: null }], { length: 1 }]) {
      expect(() => checkDataParts({ messages }, small)).not.toThrow();
    }
  });
});

describe("checkFileType", () => {
  it.each(["image/png", "audio/wav", "audio/"])("allows %j", (type) => {
    expect(() => checkFileType("It", type, pngs)).not.toThrow();
    expect(() => checkFileType("It", type, {})).not.toThrow();
  });

  it.each(["image/gif", "audio", "audiox/wav", "xaudio/wav", "text/plain", ""])("refuses %j", (type) => {
    const message = `It has type "${type}". Expected image/png, audio/*.`;
    expect(() => checkFileType("It", type, pngs)).toThrow(refused("unsupported_media_type", message));
    expect(() => checkFileType("It", type, {})).not.toThrow();
  });

  it("quotes a type that is not allowed, cut at 64 characters", () => {
    const message = String.raw`It has type "\"${"x".repeat(63)}". Expected image/png, audio/*.`;
    expect(() => checkFileType("It", `"${"x".repeat(64)}`, pngs)).toThrow(refused("unsupported_media_type", message));
  });
});

it.each([
  [png, "image/png"],
  ["data:audio/wav;base64,AAAA", "audio/wav"],
  ["AAAA", "application/octet-stream"],
  ["", "application/octet-stream"],
  ["https://example.org/a.png", "application/octet-stream"],
])("detectMimeType sniffs the type of %j", (data, expected) => {
  expect(detectMimeType(data)).toBe(expected);
});
