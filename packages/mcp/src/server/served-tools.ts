import { TroupeError } from "@troupe/core";
import type { Runnable, Workflow } from "@troupe/core";
import type { RunKind } from "@troupe/core/runs";
import { cutText, methods, wrongOption } from "@troupe/core/kit";
import { readOutputSchema, registryEntries } from "@troupe/core/transport";
import type { OptionCheck } from "@troupe/core/kit";
import type { Registry } from "@troupe/core/transport";
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";

/** The options of `createMcpServer` that become tools. */
export type ServedRegistries = {
  /** Agents by name: each is the tool `ask_<name>`. */
  agents?: Registry<Runnable> | undefined;
  /** Teams by name: each is the tool `ask_<name>`. */
  teams?: Registry<Runnable> | undefined;
  /** Workflows by name: each is the tool `run_<name>`. */
  workflows?: Registry<WorkflowLike> | undefined;
};

/** A workflow, of any state, that can be served. */
type WorkflowLike = Pick<Workflow<object>, "name"> &
  Partial<Pick<Workflow<object>, "inputKinds">> & { asRunnable(): Runnable };

/** A JSON Schema with an object at its root, as the protocol wants it. */
type RootSchema = { type: "object"; [keyword: string]: unknown };

/** A tool as clients list it. */
type ToolDefinition = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: RootSchema;
  readonly outputSchema: RootSchema;
  readonly annotations: { openWorldHint: true };
  /** In revision 2025-11-25: a client may call it as a task. */
  readonly execution: { taskSupport: "optional" };
};

type Arguments = Readonly<Record<string, unknown>>;

/** A schema that clients are shown. It accepts any value: the call of the tool checks its arguments itself. */
type ShownSchema<Value> = StandardSchemaWithJSON<Value>;

/** A runnable that is served as a tool: the description that clients get, and the way from arguments to its input. */
export type ServedTool = {
  readonly definition: ToolDefinition;
  /** The schemas as a server that the host has extended takes them. */
  readonly shown: { readonly inputSchema: ShownSchema<Arguments>; readonly outputSchema: ShownSchema<unknown> };
  readonly runnable: Runnable;
  /** The entry of the registry, as a `RunService` has it. */
  readonly target: { readonly kind: RunKind; readonly name: string; readonly entry: object };
  /** The argument that holds the input of the run. */
  readonly argument: "message" | "input";
};

const where = { owner: "createMcpServer" };
const longestName = 64;

const runnableLike = methods<Runnable>("an agent, a team or another Runnable", "run", "stream");
const workflowLike = methods<WorkflowLike>("a Workflow (agents and teams have options of their own)", "asRunnable");

const sessionId = {
  type: "string",
  description: "Continues an earlier conversation: the sessionId of its answer. Leave it out to begin a new one.",
};

const question = { type: "string", description: "The task or question, with all that it takes to answer it." };

/** The types of JSON Schema by the kinds of a state's values. */
const kindSchemas: Readonly<Record<string, object>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  list: { type: "array" },
  object: { type: "object" },
};

/** The schema of a workflow's input: the keys of its initial state, which are the ones that it takes. */
function workflowInput({ inputKinds = new Map() }: WorkflowLike): object {
  const properties = Object.fromEntries([...inputKinds].map(([key, kind]) => [key, kindSchemas[kind] ?? {}]));
  const state =
    inputKinds.size === 0 ? { type: "object" } : { type: "object", properties, additionalProperties: false };
  return {
    anyOf: [state, { type: "string" }],
    description: "An object is merged over the initial state; a string is the input of the first agent step.",
  };
}

/**
 * Makes the tools of all agents, teams and workflows by their names. Throws `invalid_config` for an entry that cannot run,
 * for two that would have one name, and if there are none where some are needed.
 */
export function readServedTools(
  { agents, teams, workflows }: ServedRegistries,
  mayBeEmpty: boolean,
): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>();
  const add = (tool: ServedTool): void => {
    const { name } = tool.definition;
    if (tools.has(name)) {
      const message = `Two entries of createMcpServer would be the tool ${JSON.stringify(name)}. Register one of them under another name.`;
      throw new TroupeError("invalid_config", message);
    }
    tools.set(name, tool);
  };
  for (const [name, entry] of entriesOf(agents, "agents", readRunnable)) add(askTool("agent", name, entry));
  for (const [name, entry] of entriesOf(teams, "teams", readRunnable)) add(askTool("team", name, entry));
  for (const [name, entry] of entriesOf(workflows, "workflows", workflowLike)) add(runTool(name, entry));
  if (tools.size > 0 || mayBeEmpty) return tools;
  const message = "createMcpServer needs at least one entry in agents, teams or workflows, or the option extend.";
  throw new TroupeError("invalid_config", message);
}

const readRunnable: OptionCheck<Runnable> = (entry, name, context) => {
  const runnable = runnableLike(entry, name, context);
  if ("kind" in runnable) return runnable;
  throw new TroupeError(
    "invalid_config",
    `${name} is a workflow. Register it in workflows, or as workflow.asRunnable().`,
  );
};

function entriesOf<Entry>(registry: unknown, option: string, check: OptionCheck<Entry>): [string, Entry][] {
  if (registry !== undefined && (typeof registry !== "object" || registry === null || Array.isArray(registry))) {
    throw wrongOption({ ...where, name: option }, "an object or a Map of entries by name", registry);
  }
  return registryEntries(registry as Registry<unknown> | undefined).map(([name, entry]) => {
    const hasName = typeof name === "string" && name.trim() !== "";
    if (!hasName) throw new TroupeError("invalid_config", `A name in ${option} is empty. It makes the tool's name.`);
    return [name, check(entry, `${option}[${JSON.stringify(name)}]`, where)];
  });
}

function askTool(kind: "agent" | "team", name: string, runnable: Runnable): ServedTool {
  const description = runnable.description?.trim() || `Asks ${name} and returns the answer.`;
  const inputSchema = rootSchema({ message: question, sessionId }, ["message"]);
  const target = { kind, name, entry: runnable };
  return { ...servedTool({ name: `ask_${name}`, description, inputSchema }, runnable), target, argument: "message" };
}

function runTool(name: string, workflow: WorkflowLike): ServedTool {
  const runnable = workflow.asRunnable();
  const description = runnable.description?.trim() || `Runs the workflow ${name} and returns its last state.`;
  const inputSchema = rootSchema({ input: workflowInput(workflow), sessionId });
  const target = { kind: "workflow" as const, name, entry: workflow };
  return { ...servedTool({ name: `run_${name}`, description, inputSchema }, runnable), target, argument: "input" };
}

function servedTool(
  { name, description, inputSchema }: Pick<ToolDefinition, "name" | "description" | "inputSchema">,
  runnable: Runnable,
): Pick<ServedTool, "definition" | "shown" | "runnable"> {
  const outputSchema = outputSchemaOf(runnable);
  const annotations = { openWorldHint: true } as const;
  const execution = { taskSupport: "optional" } as const;
  return {
    definition: { name: legalName(name), description, inputSchema, outputSchema, annotations, execution },
    shown: { inputSchema: shown(inputSchema), outputSchema: shown(outputSchema) },
    runnable,
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

/** The schema of a result. `structured` has the schema of the agent's answers where that can be told. */
function outputSchemaOf(runnable: Runnable): RootSchema {
  const { structuredOutput } = runnable as { structuredOutput?: object };
  const { structured, definitions } = embed(readOutputSchema(structuredOutput));
  const text = { type: "string", description: "The answer." };
  const properties = { text, structured, sessionId: { type: "string" }, runId: { type: "string" }, usage };
  const required = ["text", "sessionId", "runId", "usage", ...(structuredOutput === undefined ? [] : ["structured"])];
  return { type: "object", ...definitions, properties, required };
}

/** Splits a schema into the part that stands in a property, and its definitions, whose references begin at the root. */
function embed(schema: unknown): { structured: object; definitions?: object } {
  const isPlain = typeof schema === "object" && schema !== null && !Array.isArray(schema);
  // A reference to the schema's own root, or by a path through it, would lead elsewhere.
  if (!isPlain || /"\$(?:ref|dynamicRef)":"(?!#\/(?:\$defs|definitions)\/)|"\$id":/.test(JSON.stringify(schema))) {
    return { structured: {} };
  }
  const { $schema: _, $defs, definitions, ...structured } = schema as Record<string, unknown>;
  return {
    structured,
    definitions: { ...($defs !== undefined && { $defs }), ...(definitions !== undefined && { definitions }) },
  };
}

/** Hosts take names of letters, digits, `_` and `-` alone. */
function legalName(name: string): string {
  return cutText(name.replace(/[^A-Za-z0-9_-]/g, "_"), longestName);
}
