import { isObject, readJson } from "../ui/format.ts";
import type { WorkflowFields } from "./workflow-input.ts";
import { strings } from "../strings/strings.ts";

/** The way in which a field is filled in. `lines`: each line is one item of a list; `json`: any other value. */
type FieldKind = "text" | "number" | "switch" | "choice" | "lines" | "json";

/** A field of the form for a workflow's input, made from a property of its schema. */
export type FormField = {
  /** The key of the input object. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** The text of the field before the user changes it: the schema's default. Absent if the schema has no default. */
  readonly start?: string;
  /** The values of a choice. The text of the field is the index of the chosen value. */
  readonly choices: readonly { readonly label: string; readonly value: unknown }[];
  /** Attributes of the input element, by which browsers check the typed text. */
  readonly limits: Readonly<Record<string, string | number>>;
  /** True if the items of a list are numbers. */
  readonly hasNumbers: boolean;
};

/** The texts of a form's fields, by name. Unchanged fields are absent. */
export type FormTexts = Readonly<Record<string, string>>;

type Schema = Readonly<Record<string, unknown>>;

/** Returns the fields of a form for the JSON Schema of an object. Undefined if the schema names no properties. */
export function fieldsOf(schema: unknown): readonly FormField[] | undefined {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined;
  const { properties, required } = schema;
  const names = Array.isArray(required) ? new Set<unknown>(required) : new Set();
  const fields = Object.entries(properties as Schema).map(([name, property]) =>
    toField(name, resolved(property, schema), names.has(name)),
  );
  return fields.length === 0 ? undefined : fields;
}

/** Returns the text of a field: the text that the user has entered, or else the initial text. */
export function textOfField(field: FormField, texts: FormTexts): string {
  const text = Object.hasOwn(texts, field.name) ? texts[field.name] : undefined;
  return text ?? field.start ?? "";
}

/** The result of reading a form: the input, or a sentence for each field that cannot be read. */
export type FormResult = { readonly fields: WorkflowFields; readonly faults: Readonly<Record<string, string>> };

/** Reads a form. Fields without a text are omitted, so that the workflow's initial state applies. */
export function readForm(fields: readonly FormField[], texts: FormTexts): FormResult {
  const read = fields.map((field) => [field.name, readField(field, textOfField(field, texts))] as const);
  return {
    fields: Object.fromEntries(read.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]]))),
    faults: Object.fromEntries(read.flatMap(([name, { fault }]) => (fault === undefined ? [] : [[name, fault]]))),
  };
}

type Read = { readonly value?: unknown; readonly fault?: string };

function readField(field: FormField, text: string): Read {
  const { kind, isRequired } = field;
  if (kind === "switch") return text === "" && !isRequired ? {} : { value: text === "true" };
  if (text.trim() === "") return isRequired ? { fault: strings.form.missing(field.label) } : {};
  return readers[kind](text, field);
}

const readers: Readonly<Record<Exclude<FieldKind, "switch">, (text: string, field: FormField) => Read>> = {
  text: (text) => ({ value: text }),
  number: (text, { label }) => {
    const value = Number(text);
    return Number.isFinite(value) ? { value } : { fault: strings.form.number(label) };
  },
  choice: (text, { choices }) => ({ value: choices[Number(text)]?.value }),
  lines: (text, { label, hasNumbers }) => {
    const items = text.split("\n").flatMap((line) => line.trim() || []);
    if (!hasNumbers) return { value: items };
    const value = items.map(Number);
    return value.every(Number.isFinite) ? { value } : { fault: strings.form.numbers(label) };
  },
  json: (text, { label }) => {
    const value = readJson(text);
    return value === undefined ? { fault: strings.form.mustBeJson(label) } : { value };
  },
};

function toField(name: string, schema: Schema, isRequired: boolean): FormField {
  const choices = choicesOf(schema);
  const kind = choices.length > 0 ? "choice" : kindOf(schema);
  const start = startOf(schema["default"], kind, choices);
  const { title, description } = schema;
  return {
    name,
    label: typeof title === "string" && title.trim() !== "" ? title : inWords(name),
    ...(typeof description === "string" && description.trim() !== "" && { hint: description }),
    kind,
    isRequired,
    ...(start !== undefined && { start }),
    choices,
    limits: limitsOf(schema, kind),
    hasNumbers: kind === "lines" && isNumeric(schema["items"]),
  };
}

/** Returns a key in words: `arrivalDate` and `arrival_date` are `Arrival date`. */
function inWords(name: string): string {
  const words = name
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replaceAll(/[_-]+/g, " ")
    .trim();
  return words === "" ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function kindOf(schema: Schema): FieldKind {
  const { type, items } = schema;
  if (type === "string") return "text";
  if (isNumeric(schema)) return "number";
  if (type === "boolean") return "switch";
  const isPlainList = type === "array" && isObject(items) && (items["type"] === "string" || isNumeric(items));
  return isPlainList ? "lines" : "json";
}

function isNumeric(schema: unknown): boolean {
  return isObject(schema) && (schema["type"] === "number" || schema["type"] === "integer");
}

function choicesOf(schema: Schema): FormField["choices"] {
  const { enum: values, oneOf, anyOf } = schema;
  if (Array.isArray(values)) return values.map((value) => ({ label: labelOf(value), value: value as unknown }));
  if ("const" in schema) return [{ label: labelOf(schema["const"]), value: schema["const"] }];
  const titled = [oneOf, anyOf].find(Array.isArray) as unknown[] | undefined;
  if (titled === undefined || !titled.every((each) => isObject(each) && "const" in each)) return [];
  return (titled as Schema[]).map(({ const: value, title }) => ({ label: labelOf(title ?? value), value }));
}

function labelOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function startOf(value: unknown, kind: FieldKind, choices: FormField["choices"]): string | undefined {
  if (value === undefined) return undefined;
  if (kind === "choice") {
    const index = choices.findIndex((choice) => labelOf(choice.value) === labelOf(value));
    return index === -1 ? undefined : String(index);
  }
  if (kind === "lines" && Array.isArray(value)) return value.map(labelOf).join("\n");
  return kind === "json" ? JSON.stringify(value) : labelOf(value);
}

/** The types of input elements for formats of strings. */
const inputTypes: Readonly<Record<string, string>> = { date: "date", time: "time", email: "email", uri: "url" };

function limitsOf(schema: Schema, kind: FieldKind): FormField["limits"] {
  if (kind === "number") {
    const bounds = numbersOf({ min: schema["minimum"], max: schema["maximum"] });
    return { ...bounds, step: schema["type"] === "integer" ? 1 : "any" };
  }
  if (kind !== "text") return {};
  const type = inputTypes[String(schema["format"])];
  const lengths = numbersOf({ minLength: schema["minLength"], maxLength: schema["maxLength"] });
  return { ...lengths, ...(type !== undefined && { type }) };
}

function numbersOf(values: Readonly<Record<string, unknown>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

/**
 * Returns the schema of a property. A reference to a definition is replaced by the definition, and the alternative null
 * is removed.
 */
function resolved(property: unknown, root: Schema): Schema {
  const schema = isObject(property) ? property : {};
  const target = definitionOf(schema["$ref"], root);
  if (target !== undefined) return { ...resolved(target, { ...root, $defs: {} }), ...without(schema, "$ref") };
  const { type } = schema;
  if (Array.isArray(type)) {
    const types = type.filter((each) => each !== "null") as unknown[];
    return { ...schema, type: types.length === 1 ? types[0] : undefined };
  }
  const parts = [schema["anyOf"], schema["oneOf"]].find(Array.isArray) as unknown[] | undefined;
  const others = parts?.filter((part) => !isObject(part) || part["type"] !== "null") ?? [];
  const [only] = others;
  if (others.length !== 1 || !isObject(only) || parts === undefined) return schema;
  return { ...only, ...without(without(schema, "anyOf"), "oneOf") };
}

function definitionOf(reference: unknown, { $defs }: Schema): unknown {
  const [, name] = typeof reference === "string" ? (/^#\/\$defs\/([^/~%]+)$/.exec(reference) ?? []) : [];
  return name !== undefined && isObject($defs) && Object.hasOwn($defs, name) ? $defs[name] : undefined;
}

function without(schema: Schema, keyword: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword));
}
