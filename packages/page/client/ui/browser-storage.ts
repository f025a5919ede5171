/** Access to a single value that the browser stores for the page, as JSON. */
export type StoredValue = {
  /** Returns the value, or `undefined` if it is missing or has another form. */
  read<Value>(isValid: (value: unknown) => value is Value): Value | undefined;
  /** Stores the value, or removes it if it is `undefined`. Returns false if the browser refuses to store it. */
  write(value: unknown): boolean;
};

/**
 * Returns an accessor of one value in a browser storage. Its methods never throw: if the browser forbids storage, or
 * the storage is full, `write` returns false and `read` returns `undefined`. The version in the storage key separates
 * the values of different releases.
 */
export function storedValue(storage: "localStorage" | "sessionStorage", name: string): StoredValue {
  const key = `troupe:v1:${name}`;
  return {
    read: (isValid) => {
      try {
        const value: unknown = JSON.parse(globalThis[storage].getItem(key) ?? "null");
        return isValid(value) ? value : undefined;
      } catch {
        return undefined;
      }
    },
    write: (value) => {
      try {
        if (value === undefined) globalThis[storage].removeItem(key);
        else globalThis[storage].setItem(key, JSON.stringify(value));
        return true;
      } catch {
        // The browser is in private mode, or the storage is full.
        return false;
      }
    },
  };
}
