/**
 * A copy that every storage takes and gives back the same: what a model, a vendor or a tool made may hold halves of
 * characters, objects of classes, and members under symbols or without a value. A turn is not lost for such a thing.
 */
export function toStorable<Value>(value: Value): Value {
  return storable(value) as Value;
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(storable);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name.toWellFormed(), storable(member)]));
}
