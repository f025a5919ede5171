import { describe, expect, inject, it } from "vitest";
import { isTidyBase64, isTidyBase64InSteps } from "./base64.ts";

const signs = { few: ["é"], many: ["-", "=", "\n", "é"] }[inject("trials")];

describe("isTidyBase64InSteps", () => {
  it("tells what isTidyBase64 tells, wherever a step ends", async () => {
    const large = Buffer.alloc(6_500_000, "any bytes").toString("base64");
    const texts = [large, large.slice(0, 4_194_304), large.slice(0, 4_194_305), `${large}A`, `${large}=`, ""];
    for (const sign of signs) {
      for (const at of [0, 4_194_303, 4_194_304, large.length - 1])
        texts.push(`${large.slice(0, at)}${sign}${large.slice(at + 1)}`);
    }
    for (const [index, text] of texts.entries()) {
      expect(await isTidyBase64InSteps(text), `text ${index}`).toBe(isTidyBase64(text));
    }
  });
});

/** The lengths in characters at which the check of a long string begins another piece or another step. */
const pieceEnds = { few: [4096, 4_194_304], many: [4096, 1_048_576, 2_097_152, 4_194_304, 8_388_608] }[
  inject("trials")
];

describe.each(pieceEnds)("base64 that ends at or beside character %d, where a piece ends", (end) => {
  // A group of four characters less, the same, and a group more; each with all kinds of padding.
  const lengths = [end - 4, end, end + 4].flatMap((chars) => [0, 1, 2].map((padding) => ({ chars, padding })));
  it.each(lengths)("is taken with $chars characters and $padding signs of padding, or without them", async (of) => {
    const base64 = Buffer.alloc((of.chars / 4) * 3 - of.padding, 0xfb).toString("base64");
    expect([base64.length, base64.endsWith("=".repeat(of.padding))]).toEqual([of.chars, true]);
    await expectBoth(base64, true);
    await expectBoth(base64.replace(/=+$/, ""), true);
  });

  it("is refused with another number of signs than its last group can have", async () => {
    const base64 = Buffer.alloc((end / 4) * 3, 0xfb).toString("base64");
    for (const text of [`${base64.slice(0, -3)}===`, base64.slice(0, -4) + "====", `=${base64.slice(1)}`]) {
      await expectBoth(text, false);
    }
    // The digits of a short string are not counted.
    for (const more of ["A", "-", "A==", "==="]) if (end > 4096) await expectBoth(base64 + more, false);
  });
});

/** Expects the result of both checks of a string, at once and in steps. */
async function expectBoth(text: string, expected: boolean): Promise<void> {
  // The string is not shown in a failure, because it may be very long.
  expect([isTidyBase64(text), await isTidyBase64InSteps(text)], text.slice(-8)).toEqual([expected, expected]);
}
