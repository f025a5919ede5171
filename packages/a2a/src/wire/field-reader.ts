import { wrongParam } from "./a2a-error.ts";

/** A JSON object that a client or a remote agent sent. */
export type Fields = Record<string, unknown>;

/** Reads the fields of a client's object. `null` counts as absent; errors name the path of the field. */
export class FieldReader {
  readonly fields: Fields;
  readonly #path: string;

  constructor(value: unknown, path: string) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrongParam(path, "an object");
    this.fields = value as Fields;
    this.#path = path;
  }

  /** The path of a field, for an error. */
  path(name: string): string {
    return `${this.#path}.${name}`;
  }

  /** Returns the value of a field, or undefined if it is absent. */
  get(name: string): unknown {
    return Object.hasOwn(this.fields, name) ? (this.fields[name] ?? undefined) : undefined;
  }

  /** Returns the string in a field. Throws if it is absent, blank or not a string. */
  required(name: string): string {
    const value = this.get(name);
    if (typeof value === "string" && value.trim() !== "") return value;
    throw wrongParam(this.path(name), "a string that is not blank");
  }

  /**
   * Returns the string in a field, or undefined if it is absent or empty: an empty string is the default value in A2A
   * 1.0.
   */
  optional(name: string): string | undefined {
    const value = this.get(name);
    if (value === undefined || value === "") return undefined;
    if (typeof value === "string") return value;
    throw wrongParam(this.path(name), "a string");
  }

  boolean(name: string): boolean | undefined {
    const value = this.get(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw wrongParam(this.path(name), "true or false");
  }

  /**
   * Returns the integer in a field, within bounds, or undefined if it is absent. Also accepts a string of digits, which
   * JSON of protocol buffers allows.
   */
  integer(name: string, least: number, most: number): number | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    const number = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    if (Number.isSafeInteger(number) && (number as number) >= least && (number as number) <= most) {
      return number as number;
    }
    throw wrongParam(this.path(name), `an integer from ${least} to ${most}`);
  }

  strings(name: string): string[] | undefined {
    const value = this.get(name);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    throw wrongParam(this.path(name), "an array of strings");
  }

  object(name: string): Fields | undefined {
    const value = this.get(name);
    return value === undefined ? undefined : new FieldReader(value, this.path(name)).fields;
  }

  /** Returns a reader for the object in a field. */
  reader(name: string): FieldReader {
    return new FieldReader(this.get(name), this.path(name));
  }

  /** Reads each element of the array in a field. Throws if the array is absent or empty. */
  items<Item>(name: string, read: (value: unknown, path: string) => Item): Item[] {
    const value = this.get(name);
    if (!Array.isArray(value) || value.length === 0) {
      throw wrongParam(this.path(name), "an array of at least one element");
    }
    return value.map((item, index) => read(item, `${this.path(name)}[${index}]`));
  }
}

/** The type of an object without its undefined properties. */
type Present<Value> = {
  [Name in keyof Value as undefined extends Value[Name] ? never : Name]: Value[Name];
} & { [Name in keyof Value as undefined extends Value[Name] ? Name : never]?: Exclude<Value[Name], undefined> };

/** Returns the properties of an object that are not undefined. */
export function present<Value extends object>(value: Value): Present<Value> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as Present<Value>;
}
