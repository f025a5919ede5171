import { readProperty } from "../util/read-property.ts";

/**
 * Returns the message of a thrown value, or a thrown string, number or boolean as a string. Describes other values by
 * their type: "it threw an object without a message".
 */
export function thrownMessage(thrown: unknown): string {
  const message = typeof thrown === "object" ? readProperty(thrown, "message") : thrown;
  if (typeof message === "string" && message !== "") return message;
  if (typeof thrown === "number" || typeof thrown === "boolean") return String(thrown);
  return `it threw ${describe(thrown)} without a message`;
}

function describe(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return String(thrown);
  const kind = typeof thrown;
  if (kind === "string") return "a string";
  return kind === "object" ? "an object" : `a ${kind}`;
}
