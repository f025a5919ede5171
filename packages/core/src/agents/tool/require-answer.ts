import { getTextContent } from "../../base/message/content.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { checkToolAnswer } from "../../schema/parse-structured.ts";
import { describeIssues } from "../../schema/schema-issue.ts";
import { cutFailureText } from "./failure-text.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";

/**
 * Returns the outcome of a tool that ends the run if its result can be the run's answer. Content parts must include
 * text, and the result must fit the answer's schema, if there is a schema. Otherwise returns a failure for the model,
 * which may call the tool again.
 */
export async function requireAnswer(
  outcome: ToolOutcome,
  toolName: string,
  schema: CompiledSchema | undefined,
): Promise<ToolOutcome> {
  const { result, error } = outcome;
  if (error !== undefined) return outcome;
  if (Array.isArray(result) && !result.some(({ type }) => type === "text")) {
    return failedOutcome(`The result of ${toolName} has no text, which the answer of the run must have.`);
  }
  if (schema === undefined) return outcome;
  const checked = await checkToolAnswer(getTextContent(result), schema);
  if (checked.ok) return outcome;
  const issues = describeIssues(checked.issues, "result");
  return failedOutcome(cutFailureText(`The result of ${toolName} does not fit the schema of the answer:\n${issues}`));
}
