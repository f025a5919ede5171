import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutInPieces } from "./cut-in-pieces.ts";

const lengths = (frames: readonly string[], cuts: { splitAt?: number[]; pieceBytes?: number; lastByte?: number }) =>
  cutInPieces(frames, { lastByte: Infinity, ...cuts }).map((piece) => piece.length);

describe("cutting a body", () => {
  it.each([
    [{}, [3, 4]],
    [{ pieceBytes: 3 }, [3, 3, 1]],
    [{ splitAt: [2, 5] }, [2, 3, 2]],
    [{ splitAt: [] }, [7]],
    [{ lastByte: 4 }, [3, 1]],
    [{ lastByte: 0 }, []],
  ])("with %o gives pieces of %o bytes", (cuts, expected) => {
    expect(lengths(["abc", "€f"], cuts)).toEqual(expected);
  });

  it("loses nothing before the last byte, and sends nothing empty", () => {
    const cuts = fc.record(
      {
        splitAt: fc.array(fc.integer({ min: -5, max: 60 })),
        pieceBytes: fc.integer({ min: 1, max: 60 }),
        lastByte: fc.nat({ max: 60 }),
      },
      { requiredKeys: ["lastByte"] },
    );
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 5 }), cuts, (frames, one) => {
        const pieces = cutInPieces(frames, one);

        expect(Buffer.concat(pieces)).toEqual(Buffer.concat(frames).subarray(0, one.lastByte));
        expect(pieces.every((piece) => piece.length > 0)).toBe(true);
      }),
    );
  });
});
