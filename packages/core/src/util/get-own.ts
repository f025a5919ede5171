/** Reads an own entry. What a record inherits, like `constructor`, counts as absent. */
export function getOwn<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
