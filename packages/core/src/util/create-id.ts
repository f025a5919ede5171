import { randomUUID } from "node:crypto";

/** Makes an id that nobody can guess. */
export function createId(): string {
  return randomUUID();
}
