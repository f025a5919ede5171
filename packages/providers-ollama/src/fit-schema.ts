type Schema = Record<string, unknown>;

/**
 * Largest number of schemas after references are expanded: a small schema with nested references could grow without
 * limit.
 */
const mostSchemas = 5000;

/**
 * Rewrites the JSON Schema of a tool's parameters with the few keywords that the server passes to the model. References
 * are expanded, and limits become words in the descriptions.
 */
export function fitSchema(schema: Schema): Schema {
  return new Fitting(schema).fit(schema, new Set());
}

class Fitting {
  readonly #root: Schema;
  #count = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  /** Rewrites a schema inside the schema of the parameters. `within`: the references that led to it. */
  fit(schema: unknown, within: ReadonlySet<string>): Schema {
    this.#count += 1;
    const seen = new Set(within);
    const flat = this.#flatten(schema, seen);
    const fitted = {
      type: flat["type"],
      description: limitsInWords(flat),
      enum: flat["enum"] ?? (flat["const"] === undefined ? undefined : [flat["const"]]),
      properties: this.#fitEach(flat["properties"], seen),
      required: flat["required"],
      items: flat["items"] === undefined ? undefined : this.fit(flat["items"], seen),
      anyOf: this.#fitChoice(flat, seen),
    };
    return Object.fromEntries(Object.entries(fitted).filter(([, value]) => value !== undefined));
  }

  #fitEach(properties: unknown, seen: ReadonlySet<string>): Schema | undefined {
    if (!isRecord(properties)) return undefined;
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, this.fit(each, seen)]));
  }

  #fitChoice({ anyOf, oneOf }: Schema, seen: ReadonlySet<string>): Schema[] | undefined {
    const choices = [...listOf(anyOf), ...listOf(oneOf)];
    return choices.length === 0 ? undefined : choices.map((each) => this.fit(each, seen));
  }

  /** Expands `$ref` and `allOf` of a schema. Adds each followed reference to `seen`. */
  #flatten(schema: unknown, seen: Set<string>): Schema {
    if (!isRecord(schema)) return {};
    const { $ref, allOf, ...own } = schema;
    const parts = listOf(allOf).map((each) => this.#flatten(each, seen));
    if (typeof $ref === "string") parts.unshift(this.#follow($ref, seen));
    return [...parts, own].reduce(merge, {});
  }

  #follow(reference: string, seen: Set<string>): Schema {
    const target = this.#find(reference);
    // A recursive schema is expanded once.
    if (seen.has(reference) || this.#count > mostSchemas) return isRecord(target) ? { type: target["type"] } : {};
    seen.add(reference);
    return this.#flatten(target, seen);
  }

  #find(reference: string): unknown {
    const [start, ...path] = reference.split("/");
    if (start !== "#") return undefined;
    return path.reduce<unknown>((at, step) => {
      const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      return typeof at === "object" && at !== null && Object.hasOwn(at, name) ? (at as Schema)[name] : undefined;
    }, this.#root);
  }
}

function merge(one: Schema, other: Schema): Schema {
  const properties = { ...recordOf(one["properties"]), ...recordOf(other["properties"]) };
  const required = [...new Set([...listOf(one["required"]), ...listOf(other["required"])])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const limits =
  "format pattern minLength maxLength minItems maxItems uniqueItems " +
  "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf default";
const keywords = limits.split(" ");

/**
 * Returns the description of a schema with its limits in words, such as `(minimum: 1)`, because the server drops the
 * limits themselves. `undefined` if it has neither a description nor limits.
 */
function limitsInWords(schema: Record<string, unknown>): string | undefined {
  const said = keywords
    .filter((name) => isTelling(schema, name))
    .map((name) => `${name}: ${JSON.stringify(schema[name])}`);
  const words = [schema["description"], said.length > 0 && `(${said.join(", ")})`];
  return words.filter((each) => typeof each === "string" && each !== "").join(" ") || undefined;
}

/**
 * Returns true if a limit must be described in words. A pattern is not described if the schema also has a format. Nor
 * are the bounds that libraries add to integers.
 */
function isTelling(schema: Record<string, unknown>, name: string): boolean {
  const value = schema[name];
  if (name === "pattern" && schema["format"] !== undefined) return false;
  return value !== undefined && !(typeof value === "number" && Math.abs(value) >= Number.MAX_SAFE_INTEGER);
}
