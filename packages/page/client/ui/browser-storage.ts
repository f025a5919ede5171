/** A place of the browser in which the page keeps small values of its own, as JSON. */
export type Shelf = {
  /** Returns the value, or `undefined` when there is none, or none of this form. */
  read<Value>(isValid: (value: unknown) => value is Value): Value | undefined;
  /** Keeps the value, or removes it when it is `undefined`. */
  write(value: unknown): void;
};

/**
 * Returns a place in a storage of the browser. Where storage is forbidden or full, nothing is kept and nothing fails. The
 * version in the name leaves values of other releases alone.
 */
export function shelf(storage: "localStorage" | "sessionStorage", name: string): Shelf {
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
      } catch {
        // Private mode, or full.
      }
    },
  };
}
