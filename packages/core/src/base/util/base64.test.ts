import { describe, expect, it } from "vitest";
import { isTidyBase64 } from "./base64.ts";

const long = Buffer.alloc(3_000_000, "any bytes").toString("base64");

/** Puts a sign at a place of a string. */
function withSign(sign: string, at: number, text = long): string {
  return text.slice(0, at) + sign + text.slice(at + 1);
}

describe("isTidyBase64", () => {
  it("takes base64 with or without padding, short or long", () => {
    for (const size of [1, 2, 3, 2000, 4000, 786_432, 786_433, 1_600_001]) {
      const base64 = Buffer.alloc(size, 0xfb).toString("base64");
      expect(isTidyBase64(base64), `${size}`).toBe(true);
      expect(isTidyBase64(base64.replace(/=+$/, "")), `${size} unpadded`).toBe(true);
    }
  });

  it.each(["-", "_", "=", " ", "\n", '"', "\\", "é", "日", "\u{1f600}", "\0", "\ud800"])(
    "refuses %j wherever it is",
    (sign) => {
      for (const at of [0, 1, 1_048_574, 1_048_575, 1_048_576, 2_000_000, long.length - 5]) {
        expect(isTidyBase64(withSign(sign, at)), `at ${at}`).toBe(false);
      }
      expect(isTidyBase64(withSign(sign, 2, "QUJDREVG"))).toBe(false);
    },
  );

  it("refuses a sign behind the end", () => {
    for (const size of [900_000, 900_001, 900_002]) {
      const base64 = Buffer.alloc(size, "x").toString("base64");
      for (const sign of ["\n", "é", "-", "A"]) expect(isTidyBase64(`${base64}${sign}`), `${size} ${sign}`).toBe(false);
    }
  });

  it("refuses three signs of padding, and nothing", () => {
    expect([isTidyBase64(`${long.slice(0, -3)}===`), isTidyBase64("")]).toEqual([false, false]);
  });
});
