/** Freezes a JSON value through and through: it may be handed to many, and none can change it for the others. */
export function freezeJson<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const part of Object.values(value)) freezeJson(part);
  return Object.freeze(value);
}
