/** A value that the browser stores for the page, as JSON. */
export type StoredValue = {
  /** Returns the value, or `undefined` when there is none, or none of this form. */
  read<Value>(isValid: (value: unknown) => value is Value): Value | undefined;
  /** Stores the value, or removes it when it is `undefined`. Returns false when the browser refuses to store it. */
  write(value: unknown): boolean;
};

/**
 * Returns a value of a storage of the browser. Where storage is forbidden or full, nothing is stored and nothing throws. The
 * version in the name leaves values of other releases alone.
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
        // Private mode, or full.
        return false;
      }
    },
  };
}
