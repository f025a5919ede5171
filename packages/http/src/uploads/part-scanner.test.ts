import { TroupeError } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { encodeForm } from "../../test/forms.ts";
import type { FormPart } from "../../test/forms.ts";
import { boundaryOf, PartScanner } from "./part-scanner.ts";

/** Scans bytes in pieces of several sizes, which must tell the same, and returns the parts. */
function scan(bytes: Buffer, maxParts = 10) {
  const scans = [bytes.length, 1, 2, 7, 64].map((size) => {
    const scanner = new PartScanner("edge", maxParts);
    for (let at = 0; at < bytes.length; at += size) scanner.add(bytes.subarray(at, at + size));
    return scanner.parts;
  });
  for (const parts of scans) expect(parts).toEqual(scans[0]);
  return scans[0];
}

const text = (body: string | Buffer, more: FormPart = {}): FormPart => ({ name: "a", body, ...more });
const broken = Buffer.from([0x61, 0xff, 0x62]);
const part = (headers: string): Buffer => Buffer.from(`--edge\r\n${headers}\r\n\r\nx\r\n--edge--\r\n`);

/** Returns the message of the error by which a form is refused. */
function refusal(bytes: Buffer): string {
  try {
    scan(bytes);
  } catch (error) {
    if (TroupeError.is(error) && error.code === "invalid_request") return error.message;
    throw error;
  }
  return "It is taken.";
}

const goesOn =
  "A line of the form begins with the boundary and goes on. Expected a boundary that no content of the form has.";

describe("PartScanner", () => {
  it.each<[what: string, parts: FormPart[], facts: [mimeType: string | undefined, isUtf8: boolean][]]>([
    ["no part", [], []],
    [
      "texts",
      [text("é€"), text("")],
      [
        [undefined, true],
        [undefined, true],
      ],
    ],
    [
      "a text of bytes that are none, and one behind it",
      [text(broken), text("b")],
      [
        [undefined, false],
        [undefined, true],
      ],
    ],
    ["a text that ends within a character", [text(Buffer.from([0xe2, 0x82]))], [[undefined, false]]],
    ["a file of any bytes", [text(broken, { filename: "a" })], [[undefined, true]]],
    [
      "any bytes of an unknown type",
      [text(broken, { type: "application/octet-stream" })],
      [["application/octet-stream", true]],
    ],
    ["a text of another charset", [text(broken, { type: "text/plain; charset=latin1" })], [["text/plain", true]]],
    ["a text said to be UTF-8", [text(broken, { type: 'Text/Plain; charset="UTF-8"' })], [["text/plain", false]]],
    ["a text said to be utf8", [text(broken, { type: "text/plain;charset=utf8; x=y" })], [["text/plain", false]]],
    [
      "a type that is none",
      [text("a", { type: "plain" }), text("a", { type: "a/b c" })],
      [
        [undefined, true],
        [undefined, true],
      ],
    ],
    ["a type folded over lines", [text("a", { headers: ["Content-Type:\r\n image/png"] })], [["image/png", true]]],
    [
      "what only looks like a delimiter",
      [text("\r\n--edg\r\r\n--\r\n-edge\r"), text("b")],
      [
        [undefined, true],
        [undefined, true],
      ],
    ],
  ])("tells of %s", (_, parts, facts) => {
    expect(scan(encodeForm(...parts))).toEqual(facts.map(([mimeType, isUtf8]) => ({ mimeType, isUtf8 })));
  });

  it.each([
    ['; filename="a"', true],
    ["; filename=a", true],
    ['; filename=""', true],
    ["; filename*=UTF-8''%C3%A9.txt", true],
    ["; FileName*=UTF-8''%C3%A9.txt", true],
    ["; filename* =UTF-8''a", true],
    ["; filename =a", true],
    [`; filename="a"; filename*=UTF-8''%C3%A9.txt`, true],
    ["; filenames=a", false],
    ["; xfilename=a", false],
    ["", false],
  ])("reads a part with the parameter %j as a file: %s", (parameter, isFile) => {
    const head = `--edge\r\nContent-Disposition: form-data; name="a"${parameter}\r\n\r\n`;
    const bytes = Buffer.concat([Buffer.from(head), broken, Buffer.from("\r\n--edge--\r\n")]);

    expect(scan(bytes)).toEqual([{ mimeType: undefined, isUtf8: isFile }]);
  });

  it("reads headers in any case, and nothing behind the end of the form", () => {
    const head = 'CONTENT-DISPOSITION: FORM-DATA; name="a"\r\ncontent-TYPE: Image/PNG;x=1';
    const bytes = Buffer.concat([part(head), part("X: 1")]);
    expect(scan(bytes)).toEqual([{ mimeType: "image/png", isUtf8: true }]);
  });

  it("looks at one part more than is allowed, and at no other", () => {
    const bytes = encodeForm(...Array.from({ length: 5 }, () => text("a")));
    expect(scan(bytes, 3)).toHaveLength(4);
    expect(scan(bytes, 4)).toHaveLength(5);
  });

  it("gives up on headers that are too long", () => {
    const long = `Content-Disposition: form-data; name="a"\r\nX: ${"x".repeat(20_100)}`;
    const scanner = new PartScanner("edge", 3);
    scanner.add(Buffer.from(`--edge\r\n${long}`));
    scanner.add(Buffer.from("\r\n\r\nx\r\n--edge--\r\n"));
    expect(scanner.parts).toEqual([]);
  });

  const expected = 'Expected Content-Disposition: form-data; name="input", or another name.';

  it.each([
    ["X: 1", `Part 1 of the form has no Content-Disposition. ${expected}`],
    ["Content-Disposition:", `Part 1 of the form has no Content-Disposition. ${expected}`],
    ["Content-Disposition: inline; name=a", `Part 1 of the form has the Content-Disposition "inline". ${expected}`],
    [
      `Content-Disposition: ${"x".repeat(65)}`,
      `Part 1 of the form has the Content-Disposition "${"x".repeat(64)}". ${expected}`,
    ],
  ])("refuses a part with the headers %j", (headers, message) => {
    expect(refusal(part(headers))).toBe(message);
  });

  it("counts the parts before the one that it refuses", () => {
    const first = encodeForm(text("a")).subarray(0, -"--edge--\r\n".length);
    expect(refusal(Buffer.concat([first, part("X: 1")]))).toMatch(/^Part 2 of the form has no Content-Disposition\./);
  });

  it.each([
    ["--edgeX", goesOn],
    ["--edge-", goesOn],
    ["--edge ", goesOn],
    ["-edge", "It is taken."],
    ["--edg", "It is taken."],
    ["x--edge", "It is taken."],
  ])("refuses a text with a line that begins with the boundary: %j", (line, message) => {
    expect(refusal(encodeForm(text(`one\r\n${line}\r\nmore`), text("b")))).toBe(message);
  });
});

describe("boundaryOf", () => {
  it.each([
    ["multipart/form-data; boundary=edge", "edge"],
    ['multipart/form-data;Boundary="a b;c"; x=y', "a b;c"],
    [String.raw`multipart/form-data; boundary="a\"\\b"`, String.raw`a"\b`],
    ["multipart/form-data; x=y; boundary=edge; z", "edge"],
    ['multipart/form-data; boundary=""', ""],
    ["multipart/form-data", ""],
    [undefined, ""],
  ])("boundaryOf of %j is %j", (contentType, boundary) => {
    expect(boundaryOf(contentType)).toBe(boundary);
  });
});
