/**
 * Returns an own property of a record, or `undefined`. Inherited properties, such as `constructor`, count as absent.
 */
export function getOwn<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
