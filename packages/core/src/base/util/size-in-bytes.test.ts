import { describe, expect, it } from "vitest";
import { sizeInBytes } from "./size-in-bytes.ts";

const nested = (levels: number): unknown => (levels === 0 ? "four" : { in: nested(levels - 1) });

describe("sizeInBytes", () => {
  it.each<[unknown, number]>([
    ["", 0],
    ["word", 4],
    ["é雨😀", 2 + 3 + 4],
    [new Uint8Array(5), 5],
    [new Float64Array(2), 16],
    [new Uint8Array(new ArrayBuffer(100), 10, 20), 20],
    [Buffer.alloc(7), 7],
    [["ab", ["cd", { e: "fgh" }]], 7],
    [{ name: "ab", data: new Uint8Array(3), more: [new Uint8Array(1), "x"] }, 7],
    [12, 0],
    [true, 0],
    [null, 0],
    [undefined, 0],
    [{ a: null, b: undefined, c: 1 }, 0],
    [[], 0],
  ])("adds up the strings and the binary data: %#", (value, bytes) => {
    expect(sizeInBytes(value)).toBe(bytes);
  });

  it("counts to 64 levels, also of what holds itself", () => {
    const cycle: Record<string, unknown> = { text: "ab" };
    cycle["self"] = cycle;

    expect([sizeInBytes(nested(64)), sizeInBytes(nested(65))]).toEqual([4, 0]);
    expect(sizeInBytes(cycle)).toBe(2 * 64);
  });
});
