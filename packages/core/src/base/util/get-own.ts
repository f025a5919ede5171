/** Returns an own property of a record, or `undefined`. Inherited properties, like `constructor`, count as absent. */
export function getOwn<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
