import type { ModelOptions } from "../model/model-config.ts";
import { keyFor } from "../run/run-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { AgentParts } from "./agent-parts.ts";

/** How the model is to answer in this run, and with whose key. */
export function modelOptions({ config, structured }: AgentParts, context: RunContext): ModelOptions {
  const { temperature, reasoning, model } = config;
  const apiKey = keyFor(context, model.providerId);
  return {
    ...(temperature !== undefined && { temperature }),
    ...(reasoning !== undefined && { reasoning }),
    ...(structured !== undefined && { responseFormat: { type: "json_schema", schema: structured.jsonSchema } }),
    ...(apiKey !== undefined && { apiKey }),
  };
}
