import { TroupeError } from "@troupe/core";
import type { Runnable } from "@troupe/core";
import type { RunKind } from "@troupe/core/runs";
import { cutText } from "@troupe/core/kit";
import type { ServedWorkflow } from "@troupe/core/service";
import { readOutputSchema } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/** A JSON Schema with an object at its root, as MCP requires. */
type RootSchema = { type: "object"; [keyword: string]: unknown };

/** A served tool in the form that MCP clients list. */
type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: RootSchema;
  readonly outputSchema: RootSchema;
  readonly annotations: { openWorldHint: true };
  /** The declaration, in revision 2025-11-25, that the tool may be called as a task. */
  readonly execution: { taskSupport: "optional" };
};

type Arguments = Readonly<Record<string, unknown>>;

/** A schema for clients to read. It accepts any value, because the call itself checks its arguments. */
type ShownSchema<Value> = StandardSchemaWithJSON<Value>;

/**
 * An agent, team or workflow that is served as a tool: its description for clients, and the conversion of its
 * arguments to an input.
 */
export type ServedTool = {
  readonly definition: ToolDefinition;
  /** The schemas in the form that an extended server accepts. */
  readonly shown: { readonly inputSchema: ShownSchema<Arguments>; readonly outputSchema: ShownSchema<unknown> };
  /** The entry of the service that the tool runs, with its kind and name. */
  readonly target: { readonly kind: RunKind; readonly name: string; readonly entry: Runnable | ServedWorkflow };
  /** The name of the argument that holds the input of the run. */
  readonly argument: "message" | "input";
};

const longestName = 64;

const sessionId = {
  type: "string",
  description: "Continues an earlier conversation: the sessionId of its answer. Leave it out to begin a new one.",
};

const question = { type: "string", description: "The task or question, with all that it takes to answer it." };

/** JSON Schema types by the kinds of values in a workflow's initial state. */
const kindSchemas: Readonly<Record<string, object>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  list: { type: "array" },
  object: { type: "object" },
};

/**
 * Returns the schema of a workflow's input, with its definitions: a string, or an object with the schema that the
 * workflow declares. Without a declared schema, its keys are the keys of the initial state, if these are known.
 */
function workflowInput({ inputKinds = new Map(), inputSchema }: ServedWorkflow): {
  input: object;
  definitions?: object;
} {
  const { structured: state, definitions } = embed(inputSchema ?? stateSchema(inputKinds));
  const input = {
    anyOf: [state, { type: "string" }],
    description: "An object is merged over the initial state; a string is the input of the first agent step.",
  };
  return { input, ...(definitions !== undefined && { definitions }) };
}

function stateSchema(inputKinds: ReadonlyMap<string, string>): object {
  const properties = Object.fromEntries([...inputKinds].map(([key, kind]) => [key, kindSchemas[kind] ?? {}]));
  return inputKinds.size === 0 ? { type: "object" } : { type: "object", properties, additionalProperties: false };
}

/** The arguments of `readServedTools` beside the service. */
type ToolRules = {
  /** The name of the function that the host has called, for error messages. */
  readonly owner: string;
  /** True if the host adds tools of its own. */
  readonly mayBeEmpty: boolean;
};

/**
 * Makes the tools of all agents, teams and workflows of a service, by tool name. Throws `invalid_config` for two
 * entries with the same tool name, and for a service without entries unless `mayBeEmpty` is true.
 */
export function readServedTools(
  { agents, teams, workflows }: Pick<Service, "agents" | "teams" | "workflows">,
  { owner, mayBeEmpty }: ToolRules,
): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>();
  const add = (tool: ServedTool): void => {
    const { name } = tool.definition;
    if (tools.has(name)) {
      const message = `Two entries of ${owner} would be the tool ${JSON.stringify(name)}. Register one of them under another name.`;
      throw new TroupeError("invalid_config", message);
    }
    tools.set(name, tool);
  };
  for (const [name, entry] of agents) add(askTool("agent", name, entry));
  for (const [name, entry] of teams) add(askTool("team", name, entry));
  for (const [name, entry] of workflows) add(runTool(name, entry));
  if (tools.size > 0 || mayBeEmpty) return tools;
  const message = `${owner} needs at least one entry in agents, teams or workflows, or the option extend.`;
  throw new TroupeError("invalid_config", message);
}

function askTool(kind: "agent" | "team", name: string, entry: Runnable): ServedTool {
  const description = entry.description?.trim() || `Asks ${name} and returns the answer.`;
  const inputSchema = rootSchema({ message: question, sessionId }, ["message"]);
  const target = { kind, name, entry };
  return { ...servedTool({ name: `ask_${name}`, description, inputSchema }, entry), target, argument: "message" };
}

function runTool(name: string, entry: ServedWorkflow): ServedTool {
  const description = entry.description?.trim() || `Runs the workflow ${name} and returns its last state.`;
  const { input, definitions } = workflowInput(entry);
  const inputSchema = { ...definitions, ...rootSchema({ input, sessionId }) };
  const target = { kind: "workflow" as const, name, entry };
  return { ...servedTool({ name: `run_${name}`, description, inputSchema }, entry), target, argument: "input" };
}

function servedTool(
  { name, description, inputSchema }: Pick<ToolDefinition, "name" | "description" | "inputSchema">,
  entry: object,
): Pick<ServedTool, "definition" | "shown"> {
  const outputSchema = outputSchemaOf(entry);
  const annotations = { openWorldHint: true } as const;
  const execution = { taskSupport: "optional" } as const;
  return {
    definition: { name: legalName(name), description, inputSchema, outputSchema, annotations, execution },
    shown: { inputSchema: shown(inputSchema), outputSchema: shown(outputSchema) },
  };
}

function rootSchema(properties: Record<string, unknown>, required: readonly string[] = []): RootSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

function shown<Value>(schema: RootSchema): ShownSchema<Value> {
  const validate = (value: unknown): { value: Value } => ({ value: value as Value });
  const toSchema = (): RootSchema => schema;
  const jsonSchema = { input: toSchema, output: toSchema };
  return { "~standard": { version: 1, vendor: "troupe", validate, jsonSchema } };
}

const count = { type: "integer", minimum: 0 };
const usage = {
  type: "object",
  properties: { promptTokens: count, completionTokens: count, totalTokens: count },
  required: ["promptTokens", "completionTokens", "totalTokens"],
};

/**
 * Returns the schema of a tool's result. `structured` has the schema of the agent's answers if it can be expressed as
 * JSON Schema.
 */
function outputSchemaOf(entry: object): RootSchema {
  const { structuredOutput } = entry as { structuredOutput?: object };
  const { structured, definitions } = embed(readOutputSchema(structuredOutput));
  const text = { type: "string", description: "The answer." };
  const properties = { text, structured, sessionId: { type: "string" }, runId: { type: "string" }, usage };
  const required = ["text", "sessionId", "runId", "usage", ...(structuredOutput === undefined ? [] : ["structured"])];
  return { type: "object", ...definitions, properties, required };
}

/**
 * Splits a schema into a part that can become a property, and its definitions, which references reach from the root. A
 * schema with other references becomes a schema that accepts anything.
 */
function embed(schema: unknown): { structured: object; definitions?: object } {
  const isPlain = typeof schema === "object" && schema !== null && !Array.isArray(schema);
  // A reference to the root of the schema, or a path from there, would point elsewhere after embedding.
  if (!isPlain || /"\$(?:ref|dynamicRef)":"(?!#\/(?:\$defs|definitions)\/)|"\$id":/.test(JSON.stringify(schema))) {
    return { structured: {} };
  }
  const { $schema: _, $defs, definitions, ...structured } = schema as Record<string, unknown>;
  return {
    structured,
    definitions: { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) },
  };
}

/** Returns a tool name of at most 64 letters, digits, `_` and `-`, because MCP hosts accept no other names. */
function legalName(name: string): string {
  return cutText(name.replace(/[^A-Za-z0-9_-]/g, "_"), longestName);
}
