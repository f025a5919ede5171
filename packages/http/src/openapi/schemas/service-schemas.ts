import { errorCodes } from "@troupe/core";
import type { Listed } from "../../routes/list-routes.ts";
import { schemaRef } from "../open-api-spec.ts";
import type { Schema } from "../open-api-spec.ts";
import { arrayOf, objectOf, stringEnum, string } from "./schema-builders.ts";

const agent: Listed = {
  name: "helper",
  kind: "agent",
  description: "Knows the weather.",
  input: ["text", "parts"],
};

/**
 * Returns the OpenAPI schemas of all that is neither run nor session, by component name: the lists of agents, teams and
 * workflows, a cancelled run, health, readiness and errors.
 */
export function serviceSchemas(): Record<string, Schema> {
  return {
    Listed: objectOf<Listed>({
      required: {
        name: string,
        kind: stringEnum("agent", "team", "workflow", "remote"),
        input: {
          ...arrayOf(stringEnum("text", "parts", "object")),
          description: "The forms of the field `input` of a run.",
        },
      },
      optional: { description: string },
      example: agent,
    }),
    AgentList: listSchema("agents", agent),
    TeamList: listSchema("teams", { ...agent, name: "desk", kind: "team" }),
    WorkflowList: listSchema("workflows", { name: "trip", kind: "workflow", input: ["object"] }),
    Cancelled: objectOf<{ runId: string; status: "cancelled" }>({
      required: { runId: string, status: stringEnum("cancelled") },
      optional: {},
      example: { runId: "0f8fad5b-d9cb-469f-a165-70867728950e", status: "cancelled" },
    }),
    Health: statusSchema("ok"),
    Readiness: statusSchema("ready"),
    ...errorSchemas(),
  };
}

function listSchema(name: "agents" | "teams" | "workflows", listed: Listed): Schema {
  return objectOf<{ [key: string]: Listed[] }>({
    required: { [name]: arrayOf(schemaRef("Listed")) },
    optional: {},
    example: { [name]: [listed] },
  });
}

function statusSchema(status: string): Schema {
  return objectOf<{ status: string }>({ required: { status: stringEnum(status) }, optional: {}, example: { status } });
}

function errorSchemas(): Record<string, Schema> {
  const code = stringEnum(...errorCodes);
  const message: Schema = { type: "string", description: "For people. May change." };
  // More fields by code: vendor, guardrail, step, retryAfterMs.
  const facts = { anyOf: [{ type: "string", nullable: true }, { type: "number" }, { type: "boolean" }] };
  const error = { code: "not_found", message: 'There is no session "trip".' } as const;
  const shared = { type: "object", additionalProperties: facts };
  return {
    PublicError: { ...shared, properties: { code, message }, required: ["code", "message"], example: error },
    Error: {
      type: "object",
      properties: {
        error: {
          ...shared,
          properties: { code, message, requestId: string },
          required: ["code", "message", "requestId"],
        },
      },
      required: ["error"],
      example: { error: { ...error, requestId: "7f1c" } },
    },
  };
}
