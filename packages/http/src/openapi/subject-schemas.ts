import { Agent } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import { readOutputSchema } from "@troupe/core/transport";
import type { ServedWorkflow } from "@troupe/core/service";
import { schemaRef } from "./open-api-spec.ts";
import type { OpenApiSchema } from "./open-api-spec.ts";
import { nullableRunFields, structuredOutputSchema, saidSchema, webhookFieldSchema } from "./schemas/run-schemas.ts";
import { anyObjectSchema, numberSchema } from "./schemas/schema-builders.ts";
import { toOpenApiSchema } from "./to-open-api-schema.ts";

/**
 * Returns the OpenAPI schema of the output of an agent's or team's run. `structured` has the agent's output schema if
 * it can be expressed as JSON Schema; otherwise it accepts any value.
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
 * Returns the OpenAPI schema of the body of a workflow's run. An input object has the schema that the workflow
 * declares. Without a declared schema, it has the keys of the workflow's initial state if these are known; otherwise
 * any keys. The input may be a string, unless no step reads a string. `takesWebhook` is true if a request may name a
 * webhook.
 */
export function workflowRequestSchema(
  { inputKinds, inputSchema: declared, readsText }: ServedWorkflow,
  { takesWebhook }: { takesWebhook: boolean },
): OpenApiSchema {
  const webhook = takesWebhook && { webhook: webhookFieldSchema };
  return {
    type: "object",
    properties: {
      input: inputSchema(declared === undefined ? stateSchema(inputKinds) : toOpenApiSchema(declared), readsText),
      ...nullableRunFields,
      ...webhook,
    },
    additionalProperties: false,
  };
}

function inputSchema(state: OpenApiSchema, readsText = true): OpenApiSchema {
  if (!readsText) return { ...state, nullable: true, description: "Merged over the initial state." };
  const description = "An object is merged over the initial state; a string is the input of the first agent step.";
  return { oneOf: [state, { ...saidSchema, nullable: true }], description };
}

/** Returns the OpenAPI schema of a workflow's input object. An empty initial state does not restrict its keys. */
function stateSchema(inputKinds: ServedWorkflow["inputKinds"]): OpenApiSchema {
  if (inputKinds === undefined || inputKinds.size === 0) return anyObjectSchema;
  const properties = Object.fromEntries([...inputKinds].map(([key, kind]) => [key, kinds[kind] ?? {}] as const));
  return { type: "object", properties, additionalProperties: false };
}
