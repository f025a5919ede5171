import { TroupeError } from "../errors/troupe-error.ts";
import type { Artifact } from "../message/tool-call.ts";
import { cleanJson } from "../util/clean-json.ts";
import { readProperty } from "../util/read-property.ts";
import { cutText } from "./cut-text.ts";

/**
 * The outcome of a tool call: the text for the model, the same text as `error` when the call failed, and the artifacts.
 */
export type ToolOutcome = { readonly result: string; readonly error?: string; readonly artifacts?: Artifact[] };

/** Makes the outcome of a tool call that failed or was not made, from the problem, which is shown to the model. */
export function failedOutcome(problem: string): ToolOutcome {
  return { result: problem, error: problem };
}

const defaultMaxBytes = 262_144;

/**
 * Makes the outcome of a tool call from the value that the tool returned: its text, cut to `maxBytes` of UTF-8, and its
 * artifacts. Throws `invalid_value` for a value of another form.
 */
export function readToolResult(value: unknown, maxBytes = defaultMaxBytes): ToolOutcome {
  if (typeof value === "string") return { result: cutContent(value, maxBytes) };
  const content = readProperty(value, "content");
  if (typeof content !== "string") throw refusal(`it returned ${describe(value)}`);
  const result = cutContent(content, maxBytes);
  const artifacts = readProperty(value, "artifacts");
  return artifacts === undefined ? { result } : { result, artifacts: readArtifacts(artifacts) };
}

function cutContent(content: string, maxBytes: number): string {
  const { text, cut } = cutText(content, maxBytes);
  return cut === 0 ? text : `${text}\n[cut here: ${cut} of ${content.length} characters were left out]`;
}

function readArtifacts(value: unknown): Artifact[] {
  if (!Array.isArray(value)) throw refusal("its artifacts are no array");
  const artifacts = cleanArtifacts(value);
  const wrong = artifacts.findIndex((artifact) => !isArtifact(artifact));
  if (wrong !== -1) throw refusal(`artifacts[${wrong}] has no type or no data`);
  return artifacts as Artifact[];
}

function cleanArtifacts(list: unknown): unknown[] {
  try {
    return cleanJson(list, (place, problem) => refusal(`artifacts${place} ${problem}`)) as unknown[];
  } catch (error) {
    // A getter or a proxy among them may throw anything.
    throw TroupeError.is(error) ? error : refusal("its artifacts cannot be read", error);
  }
}

function isArtifact(value: unknown): value is Artifact {
  const mimeType = readProperty(value, "mimeType");
  return (
    typeof readProperty(value, "type") === "string" &&
    readProperty(value, "data") !== undefined &&
    (mimeType === undefined || typeof mimeType === "string")
  );
}

function refusal(problem: string, cause?: unknown): TroupeError {
  const expected =
    "a string or { content, artifacts? }, where content is a string and each artifact { type, data, mimeType? } is JSON";
  return new TroupeError("invalid_value", `a tool must return ${expected}, but ${problem}`, { cause });
}

/** Names the type of a value, and nothing of its content. */
function describe(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object without a string as content" : `a ${typeof value}`;
}
