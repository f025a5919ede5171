import { readProperty } from "../base/util/read-property.ts";

/** Names of fields that hold a secret, as the libraries of vendors and clouds call them, in small letters alone. */
const secretName = /(?:key|token|secret|password|passphrase|cookie|authorization|credential)s?$/;

/** Most objects that are looked at: a client refers to its connections too. */
const mostObjects = 2000;

/**
 * Finds the secrets that can be read from the client of a vendor's SDK: strings in fields with the name of a key, token or password, and all
 * values of headers. Calls none of its methods. Returns `undefined` where no secret is found, such as for functions
 * that an instrumentation wrapped around a client; with `isKeyOptional`, where nothing at all can be read.
 */
export function findClientSecrets(client: unknown, isKeyOptional = false): string[] | undefined {
  const search = new SecretSearch();
  search.visit(client);
  // By name too: a proxy may show what is not among its own fields.
  for (const name of ["apiKey", "authToken", "accessToken"]) search.take(name, readProperty(client, name), false);
  search.finish();
  const isKnown = search.hasKey || (isKeyOptional && search.hasText);
  return isKnown ? [...search.found] : undefined;
}

class SecretSearch {
  readonly found = new Set<string>();
  hasText = false;
  hasKey = false;
  readonly #seen = new Set<object>();
  readonly #next: { value: object; isSecret: boolean }[] = [];

  /** Looks at a field; in one of headers or credentials every string is a secret. */
  take(name: string, value: unknown, isSecret: boolean): void {
    const isKey = secretName.test(name.toLowerCase().replaceAll(/[^a-z]/g, ""));
    if (typeof value === "string") {
      this.hasKey ||= isKey && value !== "";
      this.#takeText(value, isSecret || isKey);
    } else this.visit(value, isSecret || isKey || /headers$/i.test(name));
  }

  visit(value: unknown, isSecret = false): void {
    if (typeof value !== "object" || value === null || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (this.#seen.size <= mostObjects) this.#next.push({ value, isSecret });
  }

  /** Looks at all that was found, the nearest first. */
  finish(): void {
    for (const { value, isSecret } of this.#next) {
      for (const [name, field] of fieldsOf(value)) this.take(name, field, isSecret);
    }
  }

  #takeText(text: string, isSecret: boolean): void {
    this.hasText = true;
    const password = URL.parse(text)?.password;
    if (password !== undefined && password !== "") this.found.add(password);
    if (!isSecret) return;
    // Both the header and the key in it.
    this.found.add(text).add(text.replace(/^\w+\s+/, ""));
  }
}

/** Returns the fields of an object and those of the objects that it inherits from, without calling a getter. */
function fieldsOf(value: object): [name: string, field: unknown][] {
  try {
    if (value instanceof Headers || value instanceof Map)
      return [...value].map(([name, field]) => [String(name), field]);
    if (ArrayBuffer.isView(value)) return [];
    const fields: [string, unknown][] = [];
    let owner: object | null = value;
    while (owner !== null && owner !== Object.prototype) {
      const described = Object.entries(Object.getOwnPropertyDescriptors(owner));
      for (const [name, { value: field }] of described) fields.push([name, field]);
      owner = Object.getPrototypeOf(owner) as object | null;
    }
    return fields;
  } catch {
    return [];
  }
}
