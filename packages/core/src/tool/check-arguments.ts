import type { ToolCall } from "../message/tool-call.ts";
import { findExcess } from "../schema/json-limits.ts";
import { parseArguments } from "../schema/parse-model-json.ts";
import { describeIssues } from "../schema/schema-issue.ts";
import { copyPlain } from "./copy-plain.ts";
import type { ToolSet } from "./tool-set.ts";
import type { ToolDef } from "./tool.ts";

/** Arguments as the schema makes them, or what the model has to mend. */
export type CheckedArguments =
  | { readonly ok: true; readonly args: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** What is wrong with the form of a call's arguments, if anything; `text` is what the model wrote when it is no JSON object. */
export function formProblem(call: ToolCall, text: string | undefined): string | undefined {
  if (text !== undefined) return `${problemOf(text)}: call it again with one JSON object as arguments`;
  const args: unknown = call.arguments;
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return "are not an object: call it again with one JSON object as arguments";
  }
  const excess = findExcess(args);
  return excess === undefined ? undefined : `cannot be taken, for the object ${excess}`;
}

/** Checks arguments of good form against the tool's schema. The result is the tool's own: nobody else holds a part of it. */
export async function checkArguments(tools: ToolSet, tool: ToolDef, call: ToolCall): Promise<CheckedArguments> {
  const verdict = await tools.schemaOf(tool).validate(copyPlain(call.arguments));
  if (verdict.ok) return { ok: true, args: verdict.value };
  return { ok: false, problem: `do not fit its parameters:\n${describeIssues(verdict.issues, "arguments")}` };
}

function problemOf(text: string): string {
  const parsed = parseArguments(text);
  return parsed.ok ? "are not a JSON object" : parsed.problem.replace(/^is\b/, "are").replace(/^nests/, "nest");
}
