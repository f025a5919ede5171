import { describe, expect, it } from "vitest";
import { addressHeader, isMessageId, messageIdHeader, textHeader } from "./header.ts";

const word = (text: string) => `=?UTF-8?B?${Buffer.from(text).toString("base64")}?=`;

describe("textHeader", () => {
  it.each<[string, string, string]>([
    ["plain words", "Hello you", "Subject: Hello you"],
    ["a word of 60 characters", "a".repeat(60), `Subject: ${"a".repeat(60)}`],
    ["78 characters in all", `${"a".repeat(34)} ${"b".repeat(34)}`, `Subject: ${"a".repeat(34)} ${"b".repeat(34)}`],
    ["79 characters in all", `${"a".repeat(34)} ${"b".repeat(35)}`, `Subject: ${"a".repeat(34)}\r\n ${"b".repeat(35)}`],
    ["umlauts", "Grüße", `Subject: ${word("Grüße")}`],
    ["two blanks", "a  b", `Subject: ${word("a  b")}`],
    ["a blank at its end", "a ", `Subject: ${word("a ")}`],
    ["an encoded word", "=?x", `Subject: ${word("=?x")}`],
    ["a word of 61 characters", "a".repeat(61), `Subject: ${word("a".repeat(39))}\r\n ${word("a".repeat(22))}`],
    ["39 bytes", `ä${"a".repeat(37)}`, `Subject: ${word(`ä${"a".repeat(37)}`)}`],
    ["40 bytes", `${"a".repeat(38)}ä`, `Subject: ${word("a".repeat(38))}\r\n ${word("ä")}`],
    ["many bytes", "🎉".repeat(19), `Subject: ${[9, 9, 1].map((count) => word("🎉".repeat(count))).join("\r\n ")}`],
    ["half a character", "ä\ud800", `Subject: ${word("ä\ufffd")}`],
  ])("writes %s", (_, text, expected) => {
    expect(textHeader("Subject", text)).toBe(expected);
  });

  it("folds a long line each time that it is full", () => {
    const words = Array.from({ length: 5 }, () => "a".repeat(50));

    expect(textHeader("Subject", words.join(" "))).toBe(`Subject: ${words.join("\r\n ")}`);
  });

  it.each(["a\nb", "a\rb"])("refuses a line break", (text) => {
    expect(() => textHeader("Subject", text)).toThrow(
      expect.objectContaining({ code: "invalid_request", message: expect.stringMatching(/^Subject/) as unknown }),
    );
  });
});

describe("addressHeader", () => {
  const address = "ann@example.com";

  it.each<[string, string | undefined, string]>([
    ["no name", undefined, address],
    ["a plain name", "Ann O'Lee", `Ann O'Lee <${address}>`],
    ["a name of 60 characters", "a".repeat(60), `${"a".repeat(60)} <${address}>`],
    ["a name of 61 characters", "a".repeat(61), `${word("a".repeat(39))}\r\n ${word("a".repeat(22))}\r\n <${address}>`],
    ["a comma", "Lee, Ann", `"Lee, Ann" <${address}>`],
    ["quotes and backslashes", 'A "B" \\', `"A \\"B\\" \\\\" <${address}>`],
    ["an encoded word", "(=?x)", `${word("(=?x)")}\r\n <${address}>`],
    ["umlauts", "Zoë", `${word("Zoë")}\r\n <${address}>`],
  ])("writes an address with %s", (_, name, expected) => {
    expect(addressHeader("To", [{ address, ...(name !== undefined && { name }) }])).toBe(`To: ${expected}`);
  });

  it("writes each address on a line of its own", () => {
    expect(addressHeader("To", [{ address }, { address: "b@x.org", name: "B" }])).toBe(
      `To: ${address},\r\n B <b@x.org>`,
    );
  });

  it("refuses a line break in a name", () => {
    expect(() => addressHeader("To", [{ address, name: "A\r\nBcc: x@y.z" }])).toThrow("The name of an address");
  });
});

describe("messageIdHeader", () => {
  it("writes each id on a line of its own", () => {
    expect(messageIdHeader("References", ["<a@b>", "<c@d.example>"])).toBe("References: <a@b>\r\n <c@d.example>");
  });

  it("refuses what is none, by the name of the header", () => {
    expect(() => messageIdHeader("In-Reply-To", ["<a@b>", "c"])).toThrow(/^In-Reply-To must be a message id/);
  });

  it.each<[string, boolean]>([
    ["<a@b>", true],
    ["<a+b=c@d.example>", true],
    [`<${"a".repeat(496)}@b>`, true],
    [`<${"a".repeat(497)}@b>`, false],
    ["<a@b", false],
    ["a@b", false],
    ["<a>", false],
    ["<@b>", false],
    ["<a@>", false],
    ["<a@b@c>", false],
    ["<a b@c>", false],
    ["<a@b><c@d>", false],
    ["<ä@b>", false],
    ["<a@b>\n", false],
  ])("knows if %j is one: %j", (text, expected) => {
    expect(isMessageId(text)).toBe(expected);
  });
});
