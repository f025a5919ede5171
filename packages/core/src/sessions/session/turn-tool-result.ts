import type { UnfinishedStep } from "../history/interrupted-turn.ts";
import type { Artifact, ToolCallResult } from "../../base/message/tool-call.ts";
import { isArrayOf } from "../storage/stored-record.ts";
import { isRecord } from "../../base/util/is-record.ts";

/** The error and the artifacts of a stored turn's tool call; the text of its result is in the turn's messages. */
export type TurnToolResult = {
  toolCallId: string;
  toolName: string;
  /** Set if the tool failed, was refused or is unknown; `interrupted` for a call that the run left unfinished. */
  error?: string;
  artifacts?: Artifact[];
  /** The number of artifacts that were too large to be stored. */
  leftOut?: number;
};

/** The maximum characters of JSON of all artifacts of one turn, because a session is not a file store. */
const maxArtifactLength = 1_048_576;

/**
 * Returns the data about tool calls that a turn stores beside the messages: an entry for each call that failed, has
 * artifacts, or was left unfinished. Artifacts beyond a total of a million characters of JSON are omitted and counted.
 */
export function toTurnToolResults(results: readonly ToolCallResult[], unfinished?: UnfinishedStep): TurnToolResult[] {
  const budget = { left: maxArtifactLength };
  const ended = results.flatMap((result) => toTurnToolResult(result, budget) ?? []);
  if (unfinished === undefined) return ended;
  const known = new Set(unfinished.results.map(({ toolCallId }) => toolCallId));
  const left = unfinished.toolCalls.filter(({ id }) => !known.has(id));
  return [...ended, ...left.map(({ id, name }) => ({ toolCallId: id, toolName: name, error: "interrupted" }))];
}

function toTurnToolResult(
  { toolCallId, toolName, error, artifacts = [] }: ToolCallResult,
  budget: { left: number },
): TurnToolResult | undefined {
  const result: TurnToolResult = { toolCallId, toolName };
  const kept = artifacts.filter((artifact) => fits(artifact, budget));
  if (error !== undefined) result.error = error;
  if (kept.length > 0) result.artifacts = kept;
  if (kept.length < artifacts.length) result.leftOut = artifacts.length - kept.length;
  return error === undefined && artifacts.length === 0 ? undefined : result;
}

/**
 * Returns true if an artifact, as JSON, is no longer than the characters that are left for the artifacts of a turn, and
 * subtracts its length from them. An artifact that is too long changes nothing.
 */
function fits(artifact: Artifact, budget: { left: number }): boolean {
  const length = jsonLength(artifact);
  if (length > budget.left) return false;
  budget.left -= length;
  return true;
}

/** Returns the length of an artifact as JSON; infinite if it is not JSON, which a third party's runnable may return. */
function jsonLength(artifact: Artifact): number {
  try {
    return JSON.stringify(artifact).length;
  } catch {
    return Infinity;
  }
}

/** Returns true if a value has the form of a turn's stored tool results. Undefined is allowed too. */
export function isTurnToolResults(value: unknown = []): value is TurnToolResult[] {
  return isArrayOf(value, isTurnToolResult);
}

function isTurnToolResult(value: unknown): value is TurnToolResult {
  if (!isRecord(value) || typeof value["toolCallId"] !== "string" || typeof value["toolName"] !== "string")
    return false;
  const { error, artifacts } = value;
  return (
    (error === undefined || typeof error === "string") && (artifacts === undefined || isArrayOf(artifacts, isArtifact))
  );
}

function isArtifact(value: unknown): value is Artifact {
  return isRecord(value) && typeof value["type"] === "string" && value["data"] !== undefined;
}
