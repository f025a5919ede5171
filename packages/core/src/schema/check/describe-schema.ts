import { shorten } from "../schema-issue.ts";

const maxShown = 120;

/** Says what a schema wants, for a sentence that begins with "expected". */
export function describeSchema(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "a value";
  const { type, enum: values, const: constant } = schema as Record<string, unknown>;
  if (constant !== undefined) return describeConstant(constant);
  if (Array.isArray(values)) return describeEnum(values);
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join(" or ") : "a value";
}

/** Names the one allowed value. */
export function describeConstant(constant: unknown): string {
  return shorten(JSON.stringify(constant) ?? "a value", maxShown);
}

/** Lists the allowed values. */
export function describeEnum(values: readonly unknown[]): string {
  if (values.length === 1) return describeConstant(values[0]);
  return shorten(`one of ${values.map((value) => JSON.stringify(value)).join(", ")}`, maxShown);
}
