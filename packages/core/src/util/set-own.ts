/** Assigning to `__proto__` would change the prototype; defined, it is a member like any other. */
export function setOwn(record: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") record[key] = value;
  else Object.defineProperty(record, key, { value, enumerable: true, writable: true, configurable: true });
}
