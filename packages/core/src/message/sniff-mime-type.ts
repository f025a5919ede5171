/** A file's first bytes, written in base64, and what they tell. Only whole base64 digits of the signature are compared. */
const signatures: readonly (readonly [prefix: string, mimeType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["JVBERi0", "application/pdf"],
  ["SUQz", "audio/mpeg"],
  ["//uQ", "audio/mpeg"],
  ["//uS", "audio/mpeg"],
  ["T2dnUw", "audio/ogg"],
  ["ZkxhQ", "audio/flac"],
  ["UEsDB", "application/zip"],
];

/** "RIFF", four bytes of length, then the kind: bytes 8 to 11 are base64 digits 10 (upper half) to 15. */
const riffKinds: Readonly<Record<string, string>> = { WEBP: "image/webp", WAVE: "audio/wav" };

/** Tells the mime type from the first bytes of base64 data, or returns `undefined`. */
export function sniffMimeType(base64: string): string | undefined {
  const known = signatures.find(([prefix]) => base64.startsWith(prefix));
  if (known !== undefined) return known[1];
  if (!base64.startsWith("UklGR")) return undefined;
  const kind = Buffer.from(base64.slice(0, 16), "base64").toString("latin1", 8, 12);
  return Object.hasOwn(riffKinds, kind) ? riffKinds[kind] : undefined;
}
