import { randomBytes } from "node:crypto";

/** A mark for what one session says: found again wherever it turns up. */
export function createNonce(): string {
  return `nonce-${randomBytes(8).toString("hex")}`;
}

/** The nonces in a text, each once. */
export function noncesIn(text: string): string[] {
  return [...new Set(text.match(/nonce-[0-9a-f]{16}/g))];
}
