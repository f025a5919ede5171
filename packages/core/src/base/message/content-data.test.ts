import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readContentData } from "./content-data.ts";

const firstBytes: Record<string, number[] | string> = {
  "image/png": [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d],
  "image/jpeg": [0xff, 0xd8, 0xff, 0xe0, 0, 0x10],
  "image/gif": "GIF89a..",
  "image/webp": "RIFF1234WEBPVP8 ",
  "audio/wav": "RIFF\xff\xff\xff\x7fWAVEfmt ",
  "audio/mpeg": "ID3\x04......",
  "audio/ogg": "OggS\0\0\0\0",
  "audio/flac": "fLaC....",
  "application/pdf": "%PDF-1.7\n",
  "application/zip": "PK\x03\x04....",
};

const toBase64 = (bytes: number[] | string) =>
  (typeof bytes === "string" ? Buffer.from(bytes, "latin1") : Buffer.from(bytes)).toString("base64");

describe("readContentData", () => {
  it.each(Object.entries(firstBytes))("recognizes %s by its first bytes", (mimeType, bytes) => {
    expect(readContentData({ data: toBase64(bytes) })).toMatchObject({ kind: "base64", mimeType });
  });

  it("prefers the mime type of the part, then the one of the data: URL", () => {
    const png = toBase64(firstBytes["image/png"] ?? "");

    expect(readContentData({ data: `data:image/gif;base64,${png}`, mimeType: "image/webp" })).toMatchObject({
      mimeType: "image/webp",
    });
    expect(readContentData({ data: `data:IMAGE/GIF;base64,${png}` })).toMatchObject({ mimeType: "image/gif" });
    expect(readContentData({ data: `data:;base64,${png}` })).toMatchObject({ mimeType: "image/png" });
  });

  it("leaves out a mime type that is unknown", () => {
    expect(readContentData({ data: "aGVsbG8=" })).toEqual({ kind: "base64", base64: "aGVsbG8=" });
    expect(readContentData({ data: toBase64("RIFF1234JUNK") })).not.toHaveProperty("mimeType");
  });

  it("reads a data: URL that is percent-encoded text", () => {
    const expected = { kind: "base64", base64: Buffer.from("a b,ü").toString("base64"), mimeType: "text/plain" };

    expect(readContentData({ data: "data:,a%20b,%C3%BC" })).toEqual(expected);
    expect(readContentData({ data: "DATA:text/plain;charset=utf-8,a%20b,%C3%BC" })).toEqual(expected);
  });

  it("reads a percent-encoded data: URL as bytes, and a % without two digits as itself", () => {
    const base64Of = (data: string) => {
      const read = readContentData({ data });
      return read.kind === "base64" ? Buffer.from(read.base64, "base64") : read;
    };

    expect(base64Of("data:application/octet-stream,%ff%00%C3")).toEqual(Buffer.from([0xff, 0, 0xc3]));
    expect(base64Of("data:,ü%zz%4")).toEqual(Buffer.from("ü%zz%4"));
  });

  it("accepts base64 in every variant", () => {
    const bytes = Buffer.from([0xfb, 0xff, 0xfe, 0x01]);
    const plain = { kind: "base64", base64: bytes.toString("base64") };

    expect(readContentData({ data: bytes.toString("base64url") })).toEqual(plain);
    expect(readContentData({ data: "+//+\r\n AQ==\n" })).toEqual(plain);
  });

  it("keeps an http(s) URL as a URL, in its normal form", () => {
    expect(readContentData({ data: "HTTPS://Example.org/a b.png" })).toEqual({
      kind: "url",
      url: "https://example.org/a%20b.png",
    });
  });

  it.each([
    ["", "is empty"],
    ["data:;base64,", "is empty"],
    ["not base64!", "is neither base64 nor a data: or http(s) URL"],
    ["abcde", "is neither base64 nor a data: or http(s) URL"],
    ["ftp://example.org/x", "is neither base64 nor a data: or http(s) URL"],
    ["data:image/png;base64", "is a data: URL without a comma"],
    ["http://", "is not a valid URL"],
    ["https://user:secret@example.org/", "must not hold credentials"],
  ])("rejects %j because it %s", (data, reason) => {
    expect(readContentData({ data })).toEqual({ kind: "invalid", reason });
  });

  it("returns the bytes that were encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString("base64");
        for (const data of [base64, base64.replace(/=+$/, ""), `data:x/y;base64,${base64}`]) {
          expect(readContentData({ data })).toMatchObject({ kind: "base64", base64 });
        }
      }),
    );
  });
});
