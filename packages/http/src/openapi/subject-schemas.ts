import { Agent } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import type { ServedWorkflow } from "../served-workflow.ts";
import type { Schema } from "./open-api-spec.ts";
import { schemaRef } from "./refer.ts";
import { outputSchema, runFields } from "./schemas/run-schemas.ts";
import { anyObject } from "./schemas/simple.ts";
import { toOpenApiSchema } from "./to-open-api-schema.ts";

/** The answer of an agent or a team. What an agent tells of its structured answer stands in it. */
export function answerSchema(runnable: Runnable): Schema {
  const told = runnable instanceof Agent ? readOutput(runnable.structuredOutput as object | undefined) : undefined;
  return told === undefined ? schemaRef("RunOutput") : outputSchema(toOpenApiSchema(told));
}

type Described = { readonly jsonSchema: { output(request: { target: "draft-2020-12" }): unknown } };

/** What comes out of a schema, which may be something else than what goes in; most that transform cannot tell. */
function readOutput(schema: object | undefined): unknown {
  if (schema === undefined || "schema" in schema) return undefined;
  if (!("~standard" in schema)) return schema;
  try {
    return (schema["~standard"] as Described).jsonSchema.output({ target: "draft-2020-12" });
  } catch {
    return undefined;
  }
}

const kinds: Readonly<Record<string, Schema>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  list: { type: "array", items: {} },
  object: anyObject,
};

/** What a workflow's run is told: the keys that its input may set, where it tells them. */
export function workflowRequestSchema({ inputKinds }: ServedWorkflow): Schema {
  return {
    type: "object",
    properties: { input: inputSchema(inputKinds), ...runFields },
    additionalProperties: false,
  };
}

function inputSchema(inputKinds: ServedWorkflow["inputKinds"]): Schema {
  const description = "Merged over the state that the workflow starts from.";
  if (inputKinds === undefined) return { ...anyObject, description };
  const properties = Object.fromEntries([...inputKinds].map(([key, kind]) => [key, kinds[kind] ?? {}] as const));
  return { type: "object", properties, additionalProperties: false, description };
}
