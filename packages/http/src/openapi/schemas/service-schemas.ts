import { errorCodes } from "@troupe/core";
import type { FailedRunFacts } from "@troupe/core/transport";
import type { ListEntry } from "../../routes/list-routes.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { OpenApiSchema } from "../open-api-spec.ts";
import { anyObjectSchema, arraySchema, objectSchema, enumSchema, stringSchema } from "./schema-builders.ts";

const agent: ListEntry = {
  name: "helper",
  kind: "agent",
  description: "Knows the weather.",
  input: ["text", "parts"],
};

/**
 * Returns the remaining OpenAPI schemas by component name: lists of agents, teams and workflows, a cancelled run,
 * health, readiness and errors.
 */
export function serviceSchemas(): Record<string, OpenApiSchema> {
  return {
    ListEntry: objectSchema<ListEntry>({
      required: {
        name: stringSchema,
        kind: enumSchema("agent", "team", "workflow", "remote"),
        input: {
          ...arraySchema(enumSchema("text", "parts", "object")),
          description: "The forms of the field `input` of a run.",
        },
      },
      optional: {
        description: stringSchema,
        inputSchema: {
          ...anyObjectSchema,
          description: "The JSON Schema of an input object, if a workflow declares one.",
        },
      },
      example: agent,
    }),
    AgentList: listSchema("agents", agent),
    TeamList: listSchema("teams", { ...agent, name: "desk", kind: "team" }),
    WorkflowList: listSchema("workflows", { name: "trip", kind: "workflow", input: ["object"] }),
    Cancelled: objectSchema<{ runId: string; status: string }>({
      required: {
        runId: stringSchema,
        status: {
          ...enumSchema("cancelled", "cancelling", "completed", "error"),
          description: "`cancelling`: the process of the run was told. `completed` and `error`: it was over before.",
        },
      },
      optional: {},
      example: { runId: "0f8fad5b-d9cb-469f-a165-70867728950e", status: "cancelled" },
    }),
    Health: statusSchema("ok"),
    Readiness: statusSchema("ready"),
    ...errorSchemas(),
  };
}

function listSchema(name: "agents" | "teams" | "workflows", listed: ListEntry): OpenApiSchema {
  return objectSchema<{ [key: string]: ListEntry[] }>({
    required: { [name]: arraySchema(schemaRef("ListEntry")) },
    optional: {},
    example: { [name]: [listed] },
  });
}

function statusSchema(status: string): OpenApiSchema {
  return objectSchema<{ status: string }>({
    required: { status: enumSchema(status) },
    optional: {},
    example: { status },
  });
}

function errorSchemas(): Record<string, OpenApiSchema> {
  const code = enumSchema(...errorCodes);
  const message: OpenApiSchema = { type: "string", description: "For people. May change." };
  const error = { code: "not_found", message: 'There is no session "trip".' } as const;
  // Further fields depend on the code, such as vendor, guardrail, step and retryAfterMs: strings, numbers, booleans or
  // null. A schema for them would also apply to `usage` in the types of some generators, and reject it.
  const shared = { type: "object", additionalProperties: true };
  const ofRun = {
    runId: { type: "string", description: "The id of the run that failed." },
    usage: { allOf: [schemaRef("TokenUsage")], description: "What the run used until it failed, if anything." },
  } satisfies Record<keyof FailedRunFacts, OpenApiSchema>;
  const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };
  const failed = { code: "model_failed", message: "The vendor failed.", runId: "0f8fad5b", usage };
  return {
    PublicError: { ...shared, properties: { code, message }, required: ["code", "message"], example: error },
    RunFailure: { ...shared, properties: { code, message, ...ofRun }, required: ["code", "message"], example: failed },
    Error: {
      type: "object",
      properties: {
        error: {
          ...shared,
          properties: { code, message, requestId: stringSchema, ...ofRun },
          required: ["code", "message", "requestId"],
        },
      },
      required: ["error"],
      example: { error: { ...error, requestId: "7f1c" } },
    },
  };
}
