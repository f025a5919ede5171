import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readContentData } from "../../base/message/content-data.ts";
import type { ContentPart, MessageContent } from "../../base/message/content.ts";
import { isSource } from "../../base/message/source.ts";
import type { Source } from "../../base/message/source.ts";
import type { Artifact } from "../../base/message/tool-call.ts";
import { checkPart } from "../run/check-content.ts";
import { runOfContext } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ToolDef } from "../run/tool.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { isRecord } from "../../base/util/is-record.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { cutToolParts, cutToolText } from "./cut-content.ts";
import type { OutputLimit } from "./cut-content.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/** The default limit of a tool's content for the model, in bytes of UTF-8. */
const defaultMaxBytes = 262_144;

/**
 * Makes the outcome of a tool call from the tool's return value, cut to `maxBytes` of UTF-8. A string stays unchanged,
 * and an array of content parts becomes parts. A `ToolResult` gives content, artifacts and sources, and any other JSON
 * value becomes JSON text. Calls `onCut` if content was cut or omitted. Throws `invalid_value` for other values.
 */
export function readToolResult(value: unknown, maxBytes = defaultMaxBytes, onCut = () => {}): ToolOutcome {
  const limit = { maxBytes, onCut };
  if (typeof value === "string") return { result: cutToolText(value, limit) };
  try {
    return isToolResult(value) ? readFields(value, limit) : { result: readContent(value, limit, "its result") };
  } catch (error) {
    // A getter or a proxy in the tool's return value may throw anything.
    throw TroupeError.is(error) ? error : refusal("its result cannot be read", error);
  }
}

/**
 * Makes the outcome of a tool call from the value that the tool, or a client instead of the tool, returned. Shortened
 * output causes a warning of the run.
 */
export function outcomeOfReturn(value: unknown, tool: ToolDef, context: RunContext): ToolOutcome {
  const { name: toolName, maxOutputBytes = defaultMaxBytes } = tool;
  let isCut = false;
  const outcome = readToolResult(value, maxOutputBytes, () => (isCut = true));
  const message = `The output of the tool ${toolName} was cut. Return less, or raise maxOutputBytes of the tool.`;
  if (isCut) runOfContext(context)?.warn("tool_output_cut", message, { toolName, maxOutputBytes });
  return outcome;
}

const resultFields = ["content", "artifacts", "sources"];

/**
 * Returns true for an object that has only the fields of a `ToolResult`. Other objects are JSON. An object is an error
 * if it has `content`, `artifacts` or `sources`, and also other fields.
 */
function isToolResult(value: unknown): value is object {
  if (!isRecord(value) || !("content" in value || "artifacts" in value)) return false;
  const names = Object.keys(value);
  const others = names.filter((name) => !resultFields.includes(name));
  if (others.length === 0) return true;
  if ("content" in value && "artifacts" in value) {
    throw refusal(`it returned ${JSON.stringify(others[0]?.slice(0, 64))} beside content and artifacts`);
  }
  return false;
}

function readFields(value: object, limit: OutputLimit): ToolOutcome {
  const content = readProperty(value, "content");
  const [artifacts, sources] = [readProperty(value, "artifacts"), readProperty(value, "sources")];
  if (content === undefined) throw refusal("its content is missing");
  return {
    result: readContent(content, limit, "its content"),
    ...(artifacts !== undefined && { artifacts: readArtifacts(artifacts) }),
    ...(sources !== undefined && { sources: readSources(sources) }),
  };
}

function readContent(value: unknown, limit: OutputLimit, place: string): MessageContent {
  if (typeof value === "string") return cutToolText(value, limit);
  const parts = readParts(value, place);
  if (parts !== undefined) return cutToolParts(parts, limit);
  const json = cleanJson(value, (path, problem) => refusal(`${place}${path} ${problem}`));
  return cutToolText(JSON.stringify(json), limit);
}

/**
 * Copies an array of content parts; returns `undefined` for other values. An array with an image, audio or file may
 * contain only parts, because as JSON their data would reach the model as text. An array with only text parts may also
 * be plain JSON.
 */
function readParts(value: unknown, place: string): ContentPart[] | undefined {
  if (isDataPart(value) && Object.keys(value).every((name) => partFields.has(name))) {
    throw refusal(`${place} is a content part by itself: return it in an array`);
  }
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const isOfParts = value.some(isDataPart) || value.every(isTextPart);
  // `Array.from` includes holes in the array, which `map` would skip.
  return isOfParts ? Array.from(value, (part: unknown, index) => readPart(part, `${place}[${index}]`)) : undefined;
}

const dataTypes: ReadonlySet<unknown> = new Set(["image", "audio", "file"]);
const partFields: ReadonlySet<string> = new Set(["type", "data", "mimeType", "filename"]);

function isDataPart(value: unknown): value is { data: string } {
  return isRecord(value) && dataTypes.has(value["type"]) && typeof value["data"] === "string";
}

function isTextPart(value: unknown): boolean {
  if (!isRecord(value) || value["type"] !== "text" || typeof value["text"] !== "string") return false;
  return Object.keys(value).length === 2;
}

function readPart(value: unknown, place: string): ContentPart {
  const part = checkedPart(value, place);
  if (part.type === "text") return { type: "text", text: part.text };
  const data = readContentData(part);
  if (data.kind === "invalid") throw refusal(`${place}.data ${data.reason}`);
  // The strings are made well-formed, because storages accept no other strings.
  const entries = Object.entries(part).filter(([, text]) => text !== undefined);
  return Object.fromEntries(entries.map(([name, text]) => [name, text.toWellFormed()])) as ContentPart;
}

function checkedPart(value: unknown, place: string): ContentPart {
  try {
    return checkPart(value, place);
  } catch (error) {
    throw refusal(toTroupeError(error).message.replace(/\.$/, ""));
  }
}

function readArtifacts(value: unknown): Artifact[] {
  if (!Array.isArray(value)) throw refusal("its artifacts are no array");
  const artifacts = cleanJson(value, (path, problem) => refusal(`artifacts${path} ${problem}`)) as unknown[];
  const wrong = artifacts.findIndex((artifact) => !isArtifact(artifact));
  if (wrong !== -1) throw refusal(`artifacts[${wrong}] has no type or no data`);
  return artifacts as Artifact[];
}

function readSources(value: unknown): Source[] {
  if (!Array.isArray(value)) throw refusal("its sources are no array");
  const sources = cleanJson(value, (path, problem) => refusal(`sources${path} ${problem}`)) as unknown[];
  const wrong = sources.findIndex((source) => !isSource(source) || source.id === "");
  if (wrong !== -1) throw refusal(`sources[${wrong}] has no id, or a field of another type`);
  return sources as Source[];
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
    "a string, a JSON value, an array of content parts, or { content, artifacts?, sources? } with one of these as content, artifacts of { type, data, mimeType? } and sources of { id, url?, title?, place?, passage?, score? }";
  return new TroupeError("invalid_value", `a tool must return ${expected}, but ${problem}`, { cause });
}
