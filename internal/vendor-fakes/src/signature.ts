import { createHash } from "node:crypto";

/**
 * What stands for a vendor's encryption: it follows from the parts alone, so that a request which brings it back can be
 * checked without remembering the answer.
 */
export function sign(...parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 24);
}

/** Whether a signature comes from a recorded answer, of which nobody knows what was signed. */
export function isRecorded(signature: string): boolean {
  return signature.includes("OPAQUE");
}
