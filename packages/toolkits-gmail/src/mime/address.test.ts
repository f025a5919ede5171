import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMailAddress, parseAddress } from "./address.ts";

describe("parseAddress", () => {
  it.each<[written: string, name: string | undefined, address: string]>([
    ["ann@example.com", undefined, "ann@example.com"],
    ["  ann@example.com ", undefined, "ann@example.com"],
    ["<ann@example.com>", undefined, "ann@example.com"],
    ["Ann Lee <ann@example.com>", "Ann Lee", "ann@example.com"],
    ["Zoë Müller <zoe@example.com>", "Zoë Müller", "zoe@example.com"],
    ['"Lee, \\"Ann\\" @ home" <ann@example.com>', 'Lee, "Ann" @ home', "ann@example.com"],
    ["o'neil+tag/x=1@mail.example.co.uk", undefined, "o'neil+tag/x=1@mail.example.co.uk"],
  ])("reads %s", (written, name, address) => {
    expect(parseAddress("to[0]", written)).toEqual({ address, ...(name !== undefined && { name }) });
  });

  it.each([
    "",
    "ann",
    "ann@",
    "@example.com",
    "ann@localhost",
    "ann@@example.com",
    "ann@example..com",
    ".ann@example.com",
    "ann.@example.com",
    "ann@-example.com",
    "ann@example.com, bob@example.com",
    "ann@example.com; bob@example.com",
    "bob@evil.com <ann@example.com>",
    "<bob@evil.com> <ann@example.com>",
    "Ann <ann@example.com> bob@evil.com",
    "Ann <bob@evil.com>, <ann@example.com>",
    '"ann bob"@example.com',
    "ann@[127.0.0.1]",
    "ann(comment)@example.com",
    "änn@example.com",
    "ann@exämple.com",
    "\u212Aate@example.com",
    `${"a".repeat(65)}@example.com`,
    `ann@${"a".repeat(64)}.com`,
    `ann@${"abcdefgh.".repeat(30)}com`,
    `${"n".repeat(201)} <ann@example.com>`,
  ])("refuses %s, and does not repeat it", (written) => {
    expect(() => parseAddress("to[0]", written)).toThrow(expect.objectContaining({ code: "invalid_request" }));
    expect(() => parseAddress("to[0]", written)).toThrow(/^to\[0\] (is not one mail address|must be one line)[^\n]*$/);
  });

  /** An address of this length: its labels take 63 characters at most. */
  const addressOf = (length: number) =>
    `ann@${"a".repeat(63)}.${"b".repeat(63)}.${"c".repeat(63)}.`.padEnd(length, "d");

  it.each<[what: string, most: number, write: (length: number) => string]>([
    ["an address", 254, addressOf],
    ["the part before the @", 64, (length) => `${"a".repeat(length)}@example.com`],
    ["a label of the domain", 63, (length) => `ann@${"a".repeat(length)}.com`],
    ["a name", 200, (length) => `${"é".repeat(length)} <ann@example.com>`],
  ])("takes %s of %i characters at most", (_what, most, write) => {
    for (const length of [most - 1, most]) expect(parseAddress("to", write(length)).address).toContain("@");
    expect(() => parseAddress("to", write(most + 1))).toThrow("to is not one mail address");
  });

  it("takes time in proportion to the length of what it refuses", () => {
    for (const part of ["a.", "a@", "<", '"\\', "a-", "(", " "]) {
      expect(isMailAddress(part.repeat(200_000))).toBe(false);
      expect(() => parseAddress("to", `${part.repeat(200_000)}<a@b.c`)).toThrow("to is not one mail address");
    }
  });

  it("never takes an address that another program would read as a different one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const isSafe = /^[!-~]+$/.test(text) && !/[\s,;:<>()[\]\\"]/.test(text);
        expect(isSafe || !isMailAddress(text)).toBe(true);
      }),
    );
  });
});
