import { createHash } from "node:crypto";

/**
 * Returns a signature that replaces a vendor's encryption. It depends only on the parts, so a request that sends it
 * back can be checked without storing the answer.
 */
export function sign(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}

/** Returns true for a signature of a recorded answer, which cannot be checked. */
export function isRecorded(signature: string): boolean {
  return signature.includes("OPAQUE");
}
