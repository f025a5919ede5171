/** Where a body is cut: at these places, or into pieces of one size, and at the last byte that is sent at all. */
export type Cuts = { splitAt?: readonly number[]; pieceBytes?: number; lastByte: number };

/** The body in the pieces in which it is sent: as the vendor frames it unless it is told otherwise. */
export function cutInPieces(frames: readonly (string | Uint8Array)[], cuts: Cuts): Uint8Array[] {
  const framed = frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame));
  const body = Buffer.concat(framed);
  const end = Math.min(cuts.lastByte, body.length);
  const edges = [0, ...edgesOf(framed, cuts), end].filter((edge) => edge >= 0 && edge <= end);
  const sorted = [...new Set(edges)].toSorted((one, other) => one - other);
  return sorted.slice(1).map((edge, index) => body.subarray(sorted[index], edge));
}

function edgesOf(framed: readonly Uint8Array[], { splitAt, pieceBytes }: Cuts): readonly number[] {
  if (splitAt !== undefined) return splitAt;
  if (pieceBytes === undefined) return sums(framed.map((frame) => frame.length));
  const total = framed.reduce((length, frame) => length + frame.length, 0);
  return Array.from({ length: Math.ceil(total / pieceBytes) }, (_, index) => index * pieceBytes);
}

function sums(lengths: readonly number[]): number[] {
  let sum = 0;
  return lengths.map((length) => (sum += length));
}
