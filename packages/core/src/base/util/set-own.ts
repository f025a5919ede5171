/**
 * Sets an own property of an object, including a property named `__proto__`, which an assignment would make the
 * prototype.
 */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}
