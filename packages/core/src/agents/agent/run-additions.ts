import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ToolSet } from "../tool/tool-set.ts";
import type { RunAdditions } from "../run/run-additions.ts";
import type { ToolDef } from "../run/tool.ts";
import type { AgentConfig } from "./agent-config.ts";

type Added = RunAdditions | undefined;

const emptySchema = { type: "object", properties: {} };

/**
 * Checks the `additions` of a run, and returns the client's tools. Throws `invalid_request`, with the path in
 * `fields.field`, for a wrong schema, for a client tool with the name of a tool of the agent, and for an
 * `outputSchema` if the agent has `structuredOutput`.
 */
export function checkAdditions({ structuredOutput, tools = [] }: AgentConfig, additions: RunAdditions): ToolDef[] {
  if (additions.outputSchema !== undefined) {
    if (structuredOutput !== undefined) {
      throw wrong("outputSchema", "must be left out: the agent has a schema of its own.");
    }
    compileAddedSchema(additions);
  }
  const added = makeTools(additions);
  if (typeof tools !== "function")
    refuseNamesOf(
      tools.map((tool) => ("name" in tool ? tool.name : undefined)),
      added,
    );
  return added;
}

/**
 * Returns the agent's tools together with the client's tools. Throws `invalid_request` for a client tool with the name
 * of a tool from a tool source; these names are known only within a run.
 */
export function withClientTools(own: ToolSet, additions: Added): ToolSet {
  const { clientTools = [] } = additions ?? {};
  if (clientTools.length === 0) return own;
  const added = makeTools({ clientTools });
  refuseNamesOf(own.names, added);
  return own.with(added);
}

/** Compiles the `outputSchema` in the additions of a run; undefined if there is none. */
export function compileAddedSchema(additions: Added): CompiledSchema | undefined {
  if (additions?.outputSchema === undefined) return undefined;
  try {
    return compileStructuredSchema(additions.outputSchema);
  } catch (error) {
    throw wrong("outputSchema", `must be a JSON schema that can be checked. ${toTroupeError(error).message}`);
  }
}

/**
 * Returns the `maxTokens` in the additions of a run if it is lower than the agent's `maxTokens`; otherwise an empty
 * object.
 */
export function cappedLength({ maxTokens = Infinity }: ModelSettings, additions: Added): { maxTokens?: number } {
  const { maxTokens: cap = Infinity } = additions ?? {};
  return cap < maxTokens ? { maxTokens: cap } : {};
}

function makeTools({ clientTools = [] }: RunAdditions): ToolDef[] {
  const tools = clientTools.map(({ name, description, parameters = emptySchema }, index) => {
    const purpose = description === undefined || description.trim() === "" ? name : description;
    try {
      return defineTool({ name, description: purpose, parameters });
    } catch (error) {
      throw wrong(`clientTools[${index}]`, `must be a tool. ${toTroupeError(error).message}`);
    }
  });
  for (const [index, { name }] of tools.entries()) {
    if (tools.findIndex((other) => other.name === name) < index) {
      throw wrong(`clientTools[${index}].name`, `must differ from the names of the other tools, got "${name}" twice.`);
    }
  }
  return tools;
}

function refuseNamesOf(names: readonly (string | undefined)[], added: readonly ToolDef[]): void {
  const index = added.findIndex(({ name }) => names.includes(name));
  const taken = added[index];
  if (taken === undefined) return;
  throw wrong(`clientTools[${index}].name`, `must not be "${taken.name}": the agent has a tool of this name.`);
}

function wrong(name: string, problem: string): TroupeError {
  const field = `additions.${name}`;
  return new TroupeError("invalid_request", `${field} ${problem}`, { fields: { field } });
}
