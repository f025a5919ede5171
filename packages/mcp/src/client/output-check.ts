import type { JsonSchema } from "@troupe/core";
import { compileStructuredSchema } from "@troupe/core/transport";
import { BadAnswer } from "./ask-server.ts";
import { measureJson } from "./measure-json.ts";
import type { RawResult } from "./slim-message.ts";

/**
 * A check that throws for a tool result whose structured content is too deeply nested, missing, or against the tool's
 * output schema.
 */
export type OutputCheck = (result: RawResult) => void;

/** Makes the check of a tool's results. It uses our own validator, which takes linear time and generates no code. */
export function checkOutput(schema: JsonSchema | undefined): OutputCheck {
  // The schema is compiled on the first call, because most tools of a list are never called.
  let compiled: { check: Check } | undefined;
  return ({ structuredContent, isError }) => {
    if (measureJson(structuredContent, {}).exceeded === "depth") {
      throw new BadAnswer("its structured content nests too deep");
    }
    if (schema === undefined || isError === true) return;
    if (structuredContent === undefined) throw new BadAnswer("it has no structured content, which its schema promises");
    compiled ??= { check: compile(schema) };
    const problem = problemOf(structuredContent, compiled.check);
    if (problem !== undefined) throw new BadAnswer(`its structured content does not fit its own schema: ${problem}`);
  };
}

function problemOf(value: unknown, check: Check): string | undefined {
  const verdict = check?.(value);
  if (verdict === undefined || verdict instanceof Promise || verdict.ok) return undefined;
  const [issue] = verdict.issues;
  return issue === undefined ? "it is refused" : `${issue.path.join(".")} ${issue.message}`;
}

type Check = ReturnType<typeof compileStructuredSchema>["validate"] | undefined;

function compile(schema: JsonSchema): Check {
  try {
    const { validate, validateBare } = compileStructuredSchema(schema);
    return validateBare ?? validate;
  } catch {
    // An unsupported output schema accepts everything.
    return undefined;
  }
}
