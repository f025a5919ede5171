import type { RunnableInfo } from "@troupe-internal/client";

/** Fields of a workflow's state, by name. */
export type WorkflowFields = Readonly<Record<string, unknown>>;

/**
 * Returns example fields for the input of a workflow: the first of its suggestions that is a JSON object with fields.
 * Returns undefined if there is none, and for agents and teams.
 */
export function exampleOf(
  runnable: Pick<RunnableInfo, "kind" | "name"> | undefined,
  suggestions: Readonly<Record<string, readonly string[]>>,
): WorkflowFields | undefined {
  if (runnable?.kind !== "workflow" || !Object.hasOwn(suggestions, runnable.name)) return undefined;
  const examples = suggestions[runnable.name] ?? [];
  return examples.map(readFields).find((fields) => fields !== undefined && Object.keys(fields).length > 0);
}

/** Returns fields as lines that a person can read and type: `city: Oslo`. */
export function toLines(fields: WorkflowFields): string[] {
  return Object.entries(fields).map(
    ([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}

/**
 * Returns fields as the text of a question, which `toWorkflowInput` can read. A value of several lines is written as
 * JSON.
 */
export function toQuestionText(fields: WorkflowFields): string {
  const shown = Object.entries(fields).map(([name, value]) => {
    const isLong = typeof value === "string" && value.includes("\n");
    return [name, isLong ? JSON.stringify(value) : value] as const;
  });
  return toLines(Object.fromEntries(shown)).join("\n");
}

/**
 * Returns the input of a workflow. A JSON object, or lines such as `city: Oslo` with fields of the example, set keys of
 * its state; any other text is for its first agent.
 */
export function toWorkflowInput(text: string, example: WorkflowFields = {}): unknown {
  if (text.trim() === "") return undefined;
  return readFields(text) ?? readLines(text, example) ?? text;
}

/** Returns the fields of a text that is a JSON object; undefined for any other text. */
export function readFields(text: string): WorkflowFields | undefined {
  const value = readJson(text);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as WorkflowFields) : undefined;
}

/** Reads lines with fields of the example. Returns undefined if any line has no such field, or a field occurs twice. */
function readLines(text: string, example: WorkflowFields): WorkflowFields | undefined {
  const read = new Map<string, unknown>();
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const [, typed = "", value = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
    const name = fieldOf(typed.trim(), example);
    if (name === undefined || read.has(name)) return undefined;
    read.set(name, readValue(value.trim(), example[name]));
  }
  return Object.fromEntries(read);
}

/**
 * Returns the example's field for a typed name. Case is ignored in the first letter, because phones begin a line with a
 * capital letter.
 */
function fieldOf(typed: string, example: WorkflowFields): string | undefined {
  if (Object.hasOwn(example, typed)) return typed;
  const wanted = typed.toLowerCase();
  return Object.keys(example).find((name) => name.toLowerCase() === wanted);
}

/**
 * Reads a value. It is a string as typed if it is not JSON, or if the example's value is a string. A JSON string of
 * several lines is parsed in any case.
 */
function readValue(text: string, example: unknown): unknown {
  const isTyped = typeof example === "string" && !/^".*\\n.*"$/.test(text);
  const value = isTyped ? undefined : readJson(text);
  return value === undefined ? text : value;
}

/** Reads a text as JSON. Returns undefined if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
