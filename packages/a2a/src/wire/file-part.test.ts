import { describe, expect, it } from "vitest";
import { readAddress, readBytes } from "./file-part.ts";

const base64 = Buffer.from("Hello??>").toString("base64");
const refused = (expected: string) =>
  expect.objectContaining({
    kind: "invalid-params",
    message: `a.b must be ${expected}.`,
    fields: { field: "a.b" },
  }) as Error;

describe("the bytes of a file", () => {
  it.each<[string, Parameters<typeof readBytes>[2], object]>([
    [base64, {}, { base64 }],
    [
      base64,
      { mediaType: "text/plain", filename: "a.txt", metadata: { x: 1 } },
      { base64, mediaType: "text/plain", filename: "a.txt", metadata: { x: 1 } },
    ],
    [base64, { mediaType: undefined, filename: undefined }, { base64 }],
    [Buffer.from("Hello??>").toString("base64url"), {}, { base64 }],
    [`data:text/plain;base64,${base64}`, {}, { base64, mediaType: "text/plain" }],
    [`DATA:text/plain;base64,${base64}`, { mediaType: "x/y" }, { base64, mediaType: "x/y" }],
    // Only a data: URL names its type: what the bytes look like does not count.
    [Buffer.from("%PDF-1.7 ").toString("base64"), {}, { base64: Buffer.from("%PDF-1.7 ").toString("base64") }],
  ])("%s with %j", (data, facts, expected) => {
    expect(readBytes(data, "a.b", facts)).toEqual({ kind: "bytes", ...expected });
  });

  it.each(["", "%", "data:text/plain", "http://files.example", "HTTPS://files.example", "a b c!"])(
    "are not %j",
    (data) => {
      expect(() => readBytes(data, "a.b", {})).toThrow(refused("base64 that is not empty"));
    },
  );
});

describe("the address of a file", () => {
  it.each(["https://files.example/a.pdf", "http://files.example", "HTTPS://files.example/ä?b=c#d"])(
    "%s is kept as it is written",
    (url) => {
      const facts = { mediaType: "x/y", filename: "a", metadata: {} };

      expect(readAddress(url, "a.b", facts)).toEqual({ kind: "url", url, ...facts });
      expect(readAddress(url, "a.b", { mediaType: undefined })).toEqual({ kind: "url", url });
    },
  );

  it("may be a data: URL, which is its bytes", () => {
    expect(readAddress(`data:text/plain;base64,${base64}`, "a.b", { filename: "a" })).toEqual({
      kind: "bytes",
      base64,
      mediaType: "text/plain",
      filename: "a",
    });
    expect(() => readAddress("data:text/plain", "a.b", {})).toThrow(refused("base64 that is not empty"));
  });

  it.each([
    "",
    base64,
    "ftp://files.example",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "//files.example",
    "http://",
    "http:files.example",
    "https://ada:x@files.example",
    "https://ada@files.example",
    " https://files.example",
  ])("is not %j", (url) => {
    expect(() => readAddress(url, "a.b", {})).toThrow(refused("an http(s) URL without credentials"));
  });
});
