import type { ContentPart } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { readPart, toResultPart, toUserPart, urlsOf } from "./to-file.ts";
import type { FileContext, ReadPart } from "./to-file.ts";

const context: FileContext = {
  providerId: "acme",
  modelId: "m-1",
  version: "v4",
  parts: ["text", "image", "audio", "file"],
  urls: { "image/*": [/^https:\/\/never\./, /^https:\/\/e\.x\//] },
};
const base64 = (text: string, encoding: BufferEncoding = "utf8") => Buffer.from(text, encoding).toString("base64");
const file = (mimeType: string | undefined, data: string, more = {}) =>
  ({ type: "file", mimeType, data, ...more }) as ContentPart;
const read = (part: ContentPart, more: Partial<FileContext> = {}) => readPart(part, { ...context, ...more });

describe("a file of text", () => {
  it.each([
    "text/plain",
    "TEXT/Plain; charset=utf-8",
    " text/html ",
    "application/json",
    "Application/LD+JSON",
    "application/problem+xml",
    "application/yaml",
    "application/csv",
    "application/javascript",
    "application/x-ndjson",
  ])("a file of text of the type %j becomes text, whatever its characters, even where no file is taken", (mimeType) => {
    const part = file(mimeType, base64("Où? 🎭"), { filename: "ä.txt" });

    expect(read(part, { parts: ["text"] })).toEqual({ type: "text", text: "File: ä.txt\nOù? 🎭" });
  });

  it("a file of text without a name is unnamed", () => {
    expect(read(file("text/plain", base64("a")))).toEqual({ type: "text", text: "File: unnamed\na" });
  });

  it.each(["application/jsonx", "application/pdf", "xtext/plain", "application/text/plain", "image/svg+xml"])(
    "is not what has the type %j",
    (mimeType) => {
      expect(read(file(mimeType, base64("a")))).toMatchObject({
        type: "file",
        mediaType: mimeType,
        base64: base64("a"),
      });
    },
  );
});

describe("a part that a model takes", () => {
  it.each<[ContentPart, object]>([
    [
      { type: "text", text: "é" },
      { type: "text", text: "é" },
    ],
    [
      { type: "image", data: base64("a"), mimeType: "Image/PNG" },
      { mediaType: "image/png", filename: undefined },
    ],
    [{ type: "image", data: base64("a") }, { mediaType: "image/*" }],
    [{ type: "audio", data: base64("a"), mimeType: "audio/wav" }, { mediaType: "audio/wav" }],
    [
      file("application/PDF;a=b", base64("a"), { filename: "a.pdf" }),
      { mediaType: "application/pdf", filename: "a.pdf" },
    ],
  ])("keeps its data, with its type in small letters: %j", (part, expected) => {
    expect(read(part)).toMatchObject(expected);
  });

  it("is at an address where one of several patterns for its type, its kind or any type matches", () => {
    const image = { type: "image", data: "https://e.x/a", mimeType: "image/png" } as const;
    const never = [/^https:\/\/never\./];
    const always = [/^https:\/\/never\./, /^https:/];

    for (const name of ["*", "*/*", "image/png", "image/*"])
      expect(read(image, { urls: { other: never, [name]: always } })).toMatchObject({ url: "https://e.x/a" });
    for (const urls of [
      {},
      { "image/png": never },
      { "image/jpeg": always },
      { "audio/*": always },
      { "*": "x" },
      { "*": ["https:"] },
    ])
      expect(() => read(image, { urls })).toThrow("m-1 of acme takes no image part that is image/png behind a URL.");
  });
});

describe("a part that a model does not take", () => {
  const pdf = file("application/pdf", base64("a"));
  const image: ContentPart = { type: "image", data: base64("a"), mimeType: "image/png" };

  it.each<[string, ContentPart, Partial<FileContext>, string]>([
    ["of a kind", image, { parts: ["text", "file"] }, "image part that is image/png"],
    ["of a kind in a file", file("image/png", base64("a")), { parts: ["text", "file"] }, "file part that is image/png"],
    ["of a kind of sound", file("audio/wav", base64("a")), { parts: ["text", "file"] }, "file part that is audio/wav"],
    ["beside those that were taken", pdf, { onlyTakes: [image] }, "file part that is application/pdf"],
    ["of no type", file(undefined, base64("a")), {}, "file part that is of an unknown type (name its mimeType)"],
  ])("is refused: %s", (...[, part, more, what]) => {
    expect(() => read(part, more)).toThrow(
      expect.objectContaining({
        code: "unsupported_media_type",
        message: `m-1 of acme takes no ${what}.`,
        fields: { vendor: "acme", model: "m-1", part: part.type },
      }),
    );
  });

  it("is taken where it is among those that were", () => {
    expect(read(pdf, { onlyTakes: [image, pdf] })).toMatchObject({ mediaType: "application/pdf" });
  });

  it("is refused by its kind where its data cannot be read", () => {
    expect(() => read(file("application/pdf", "%"))).toThrow(
      expect.objectContaining({ code: "invalid_request", fields: { vendor: "acme", model: "m-1", part: "file" } }),
    );
  });
});

describe("a part in the form of the AI SDK", () => {
  const text: ReadPart = { type: "text", text: "é" };
  const data: ReadPart = { type: "file", mediaType: "image/png", filename: undefined, base64: "aQ==" };
  const at: ReadPart = { type: "file", mediaType: "a/b", filename: "ä", url: "https://e.x/ä" };
  const url = new URL(at.url);

  it("is tagged for a user, except in specification v3", () => {
    expect([text, data, at].map((part) => toUserPart(part, "v4"))).toEqual([
      text,
      { type: "file", mediaType: "image/png", data: { type: "data", data: "aQ==" } },
      { type: "file", mediaType: "a/b", filename: "ä", data: { type: "url", url } },
    ]);
    expect([text, data, at].map((part) => toUserPart(part, "v3"))).toEqual([
      text,
      { type: "file", mediaType: "image/png", data: "aQ==" },
      { type: "file", mediaType: "a/b", filename: "ä", data: url },
    ]);
  });

  it("is of one of four kinds for a tool in specification v3", () => {
    const other = { ...at, mediaType: "image/png" };

    expect([text, data, { ...data, mediaType: "a/b" }, at, other].map((part) => toResultPart(part, "v3"))).toEqual([
      text,
      { type: "image-data", data: "aQ==", mediaType: "image/png" },
      { type: "file-data", data: "aQ==", mediaType: "a/b" },
      { type: "file-url", url: at.url },
      { type: "image-url", url: at.url },
    ]);
    for (const part of [text, data, at]) expect(toResultPart(part, "v4")).toEqual(toUserPart(part, "v4"));
  });
});

it.each([
  [undefined, {}],
  [{ "*": [/a/] }, { "*": [/a/] }],
  [Promise.resolve({ "*": [/a/] }), { "*": [/a/] }],
])("a model fetches the addresses of %j", async (supportedUrls, urls) => {
  expect(await urlsOf({ supportedUrls })).toEqual(urls);
});
