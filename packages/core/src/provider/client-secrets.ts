import { readProperty } from "../base/util/read-property.ts";

/** Matches names of fields that hold a secret in libraries of vendors and clouds, reduced to lower-case letters. */
const secretName = /(?:key|token|secret|password|passphrase|cookie|authorization|credential)s?$/;

/** Maximum number of objects that are examined: a client also refers to its connections, and so to many objects. */
const mostObjects = 2000;

/**
 * Finds the secrets that can be read from the client of a vendor's SDK: strings in fields named like a key, token or
 * password, and all header values. Calls none of the client's methods. Returns `undefined` if no secret is found, for
 * example for functions wrapped by an instrumentation. With `isKeyOptional` it returns `undefined` only if nothing can
 * be read.
 */
export function findClientSecrets(client: unknown, isKeyOptional = false): string[] | undefined {
  const search = new SecretSearch();
  search.visit(client);
  // The usual key fields are also read by name, because a `Proxy` object may have fields that it does not list.
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

  /** Examines a field of the client. In headers or credentials every string is a secret. */
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

  /** Examines all objects found in the client, the objects nearest to the client first. */
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
    // Adds the value of a header such as `authorization`, and the key within that value.
    this.found.add(text).add(text.replace(/^\w+\s+/, ""));
  }
}

/** Returns the fields of an object and of its prototypes, without calling a getter. */
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
