import { expect, it } from "vitest";
import { PartialJson } from "./partial-json.ts";

/** The least processor time of several measurements, in microseconds for each piece. */
function costOfPiece(pieces: readonly string[]): number {
  const measured = Array.from({ length: 3 }, () => {
    const start = process.cpuUsage();
    const reader = new PartialJson();
    for (const piece of pieces) {
      reader.push(piece);
      reader.take();
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / pieces.length;
  });
  return Math.min(...measured);
}

it.each([
  ["string", '"', "abcd"],
  ["string of characters in two halves", '"', "\ude00\ud83d"],
  ["array", "[1", ",1"],
  ["array of arrays", "[[1]", ",[1]"],
])("PartialJson reads a long %s in time in proportion to its length [object-stream.linear]", (_kind, start, piece) => {
  const piecesOf = (count: number) => [start, ...Array.from({ length: count }, () => piece)];

  expect(costOfPiece(piecesOf(50_000))).toBeLessThan(4 * costOfPiece(piecesOf(5000)) + 2);
});
