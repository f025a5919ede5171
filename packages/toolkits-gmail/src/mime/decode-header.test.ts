import { describe, expect, it } from "vitest";
import { decodeBytes, decodeHeader, readParameter } from "./decode-header.ts";

describe("decodeHeader", () => {
  it.each([
    ["Hello", "Hello"],
    ["", ""],
    ["=?UTF-8?B?R3LDvMOfZQ==?=", "Grüße"],
    ["=?utf-8?q?Gr=C3=BC=C3=9Fe_an_alle?=", "Grüße an alle"],
    ["=?utf-8?Q?a_b=5Fc?=", "a b_c"],
    ["=?ISO-8859-1?Q?Gr=FC=DFe?=", "Grüße"],
    ["=?windows-1252?Q?=80_5?=", "€ 5"],
    ["=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"],
    ["=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=", "Grüße"],
    ["before =?utf-8?Q?=C3=A4?= after", "before ä after"],
    // White space between encoded words is no part of the text, and other white space is.
    ["=?utf-8?Q?a?= =?utf-8?Q?b?=", "ab"],
    ["=?utf-8?Q?a?=\r\n\t=?utf-8?B?Yg==?=", "ab"],
    ["=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"],
    // A character that is divided between two words.
    ["=?utf-8?B?w4M=?= =?utf-8?Q?x?=", "Ãx"],
    ["=?utf-8?Q?=C3?= =?utf-8?Q?=A4?=", "ä"],
    ["=?iso-8859-1?Q?=C3?= =?utf-8?Q?=C3=A4?=", "Ãä"],
    ["=?utf-8?Q?=C3=A4?= and =?utf-8?Q?=C3=B6?=", "ä and ö"],
    ["=?utf-8?Q??=", ""],
    // Not encoded words.
    ["=?utf-8?X?abc?=", "=?utf-8?X?abc?="],
    ["=?utf-8?Q?a b?=", "=?utf-8?Q?a b?="],
    ["=?utf-8?Q?abc", "=?utf-8?Q?abc"],
    ["2 =?= 2", "2 =?= 2"],
    ["=?utf-8?Q?=ZZ=4?=", "=ZZ=4"],
    // An unknown charset is read as UTF-8 or else as Windows-1252.
    ["=?x-none?Q?=C3=A4?=", "ä"],
    ["=?x-none?Q?=E4?=", "ä"],
    ["=?us-ascii?Q?=C3=A4?=", "ä"],
  ])("%j is %j", (written, text) => {
    expect(decodeHeader(written)).toBe(text);
  });

  it("is one line without control characters, also those that were encoded", () => {
    expect(decodeHeader("=?utf-8?Q?a=0D=0ABcc:_x?=")).not.toMatch(/[\r\n]/);
    expect(decodeHeader("a\r\n b\u0000\u2028c")).not.toMatch(/[\p{Cc}\u2028]/u);
  });

  it("shows at most 1000 characters of at most 4000", () => {
    expect(decodeHeader("x".repeat(1000))).toHaveLength(1000);
    expect(decodeHeader("x".repeat(5000)).length).toBeLessThanOrEqual(1001);
    expect(decodeHeader(`${" ".repeat(4000)}end`)).toBe("");
  });
});

describe("decodeBytes", () => {
  it.each([
    [[0xc3, 0xa4], "", "ä"],
    [[0xe4], "", "ä"],
    [[0xe4], "us-ascii", "ä"],
    [[0xe4], "ASCII", "ä"],
    [[0xc3, 0xa4], "iso-8859-1", "Ã¤"],
    [[0xe4], "utf-8", "\ufffd"],
    [[0x80], "none", "€"],
    [[], "", ""],
  ])("%j of %j is %j", (bytes, charset, text) => {
    expect(decodeBytes(Uint8Array.from(bytes), charset)).toBe(text);
  });
});

describe("readParameter", () => {
  it.each([
    ["text/plain; charset=utf-8", "utf-8"],
    ['text/plain; charset="utf-8"', "utf-8"],
    ["text/plain;\r\n\tCharset = UTF-8 ; x=y", "UTF-8"],
    ["text/plain; x=charset; charset=a", "a"],
    ['text/plain; x="; charset=b"; charset=a', "a"],
    [String.raw`text/plain; charset="a\"b\\c"`, String.raw`a"b\c`],
    ["text/plain; charset=", ""],
    ["text/plain; xcharset=a", ""],
    ["text/plain", ""],
    ["charset=a", ""],
    ["", ""],
  ])("reads the charset of %j: %j", (header, charset) => {
    expect(readParameter(header, "charset")).toBe(charset);
  });

  it.each([
    ["attachment; filename=a.pdf; filename*=UTF-8''b%C3%A4.pdf", "bä.pdf"],
    ["attachment; filename*=iso-8859-1'de'b%E4.pdf", "bä.pdf"],
    ["attachment; filename*=b%C3%A4.pdf", "bä.pdf"],
    ["attachment; filename*=utf-8''it's%.pdf", "it's%.pdf"],
    ['attachment; filename*0="a b"; filename*1=".pdf"', "a b.pdf"],
    ["attachment; filename*1=b; filename*0=a; filename*3=d", "ab"],
    ["attachment; filename*0*=UTF-8''b%C3; filename*1*=%A4; filename*2=.pdf", "bä.pdf"],
    ["attachment; filename*0*=UTF-8''b; filename*1=%41", "b%41"],
    ["attachment; filename*0=100%25; filename*1=.pdf", "100%25.pdf"],
    ["attachment; filename*1=b", ""],
  ])("reads the file name of %j: %j", (header, name) => {
    expect(readParameter(header, "filename")).toBe(name);
  });
});
