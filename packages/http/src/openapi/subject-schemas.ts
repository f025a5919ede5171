import { Agent } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { readOutputSchema } from "@troupe/core/transport";
import type { ServedWorkflow } from "@troupe/core/transport";
import { schemaRef } from "./open-api-spec.ts";
import type { OpenApiSchema } from "./open-api-spec.ts";
import { nullableRunFields, structuredOutputSchema, saidSchema } from "./schemas/run-schemas.ts";
import { anyObjectSchema, numberSchema } from "./schemas/schema-builders.ts";
import { toOpenApiSchema } from "./to-open-api-schema.ts";

/**
 * Returns the OpenAPI schema of the output of an agent's or team's run. `structured` has the schema of the agent's
 * structured output if that can be told as JSON Schema; else it may be anything.
 */
export function runOutputSchema(runnable: Runnable): OpenApiSchema {
  const schema =
    runnable instanceof Agent ? readOutputSchema(runnable.structuredOutput as object | undefined) : undefined;
  return schema === undefined ? schemaRef("RunOutput") : structuredOutputSchema(toOpenApiSchema(schema));
}

const kinds: Readonly<Record<string, OpenApiSchema>> = {
  string: { type: "string" },
  number: numberSchema,
  boolean: { type: "boolean" },
  list: { type: "array", items: {} },
  object: anyObjectSchema,
};

/**
 * Returns the OpenAPI schema of the body of a workflow's run. An input object has the keys of the workflow's initial
 * state if these are known; else it may be any object. It may be a text if a step reads that.
 */
export function workflowRequestSchema({ inputKinds, readsText }: ServedWorkflow): OpenApiSchema {
  return {
    type: "object",
    properties: { input: inputSchema(inputKinds, readsText), ...nullableRunFields },
    additionalProperties: false,
  };
}

function inputSchema(inputKinds: ServedWorkflow["inputKinds"], readsText = true): OpenApiSchema {
  if (!readsText) return { ...stateSchema(inputKinds), nullable: true, description: "Merged over the initial state." };
  const description = "An object is merged over the initial state; a string is the input of the first agent step.";
  return { oneOf: [stateSchema(inputKinds), { ...saidSchema, nullable: true }], description };
}

/** An empty initial state fixes no keys. */
function stateSchema(inputKinds: ServedWorkflow["inputKinds"]): OpenApiSchema {
  if (inputKinds === undefined || inputKinds.size === 0) return anyObjectSchema;
  const properties = Object.fromEntries([...inputKinds].map(([key, kind]) => [key, kinds[kind] ?? {}] as const));
  return { type: "object", properties, additionalProperties: false };
}
