import {
  anyBoolean,
  functionLike,
  integer,
  longestTimerMs,
  nested,
  nonBlankString,
  oneOf,
} from "../errors/option-checks.ts";
import { optional, positiveNumber } from "../errors/option-checks.ts";
import { readOptions, wrongOption } from "../errors/read-options.ts";
import type { OptionTable, OptionContext } from "../errors/read-options.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import { compileSchema } from "../schema/compile-schema.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "../schema/object-schema.ts";
import { isSimpleSchema } from "../schema/simple-schema.ts";
import { recogniseSchema } from "../schema/recognise-schema.ts";
import type { ToolEffect } from "../message/tool-call.ts";
import type { CheckedReturn, ToolCacheConfig, ToolContext, ToolDef, ToolReturn } from "../run/tool.ts";

/**
 * The argument of `defineTool`. The argument type of `execute` is inferred from `parameters`, and its result from what it
 * returns.
 */
export type ToolDefinition<Schema extends ObjectSchema, Returned = ToolReturn | Promise<ToolReturn>> = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  /** Tells the model what the tool is for. */
  description: string;
  parameters: Schema;
  /** Returns a string, a JSON value, an array of content parts, or a `ToolResult` with one of these as content. */
  execute(args: InferSchema<Schema>, context: ToolContext): Returned;
  cache?: ToolCacheConfig | undefined;
  /** @default 60000 */
  timeoutMs?: number | undefined;
  /** @default 262144 */
  maxOutputBytes?: number | undefined;
  /** @default "once" */
  effect?: ToolEffect | undefined;
  /** Makes the result of a call the answer of the run: see `ToolDef`. @default false */
  endsRun?: boolean | undefined;
  /** Shows clients the messages of what the tool throws: see `ToolDef`. @default false */
  publicErrors?: boolean | undefined;
};

/**
 * Makes a tool for a model to call, checked and frozen. A mistake in the definition or its schema is `invalid_config` at
 * once.
 */
export function defineTool<const Schema extends ObjectSchema, Returned>(
  definition: ToolDefinition<Schema, Returned & CheckedReturn<Returned>>,
): ToolDef {
  return new DefinedTool(definition);
}

/** Tells if a value is a tool made by `defineTool`. Such a tool has been checked and needs no second check. */
export function isDefinedTool(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && DefinedTool.made(tool);
}

/** Returns the compiled schema of a tool's arguments. A defined tool keeps it for all agents that have the tool. */
export function argumentSchemaOf(tool: ToolDef): CompiledSchema<Record<string, unknown>> {
  return DefinedTool.made(tool) ? tool.schema() : compileParameters(tool);
}

class DefinedTool implements ToolDef {
  declare readonly name: string;
  declare readonly description: string;
  declare readonly parameters: JsonSchema;
  declare readonly execute: ToolDef["execute"];
  declare readonly cache?: ToolCacheConfig;
  declare readonly timeoutMs?: number;
  declare readonly maxOutputBytes?: number;
  declare readonly effect?: ToolEffect;
  declare readonly endsRun?: boolean;
  declare readonly publicErrors?: boolean;
  #schema: CompiledSchema<Record<string, unknown>> | undefined;

  constructor(definition: unknown) {
    checkTool(definition);
    // Field by field, which is several times as fast as copying.
    this.name = definition.name;
    this.description = definition.description;
    this.parameters = definition.parameters;
    // oxlint-disable-next-line typescript/unbound-method -- a method of the same definition, called as the tool's own
    this.execute = definition.execute;
    if (definition.cache !== undefined) this.cache = definition.cache;
    if (definition.timeoutMs !== undefined) this.timeoutMs = definition.timeoutMs;
    if (definition.maxOutputBytes !== undefined) this.maxOutputBytes = definition.maxOutputBytes;
    if (definition.effect !== undefined) this.effect = definition.effect;
    if (definition.endsRun !== undefined) this.endsRun = definition.endsRun;
    if (definition.publicErrors !== undefined) this.publicErrors = definition.publicErrors;
    // A simple schema is sure to compile, which can wait until the tool is used: tools are made by the thousand.
    if (!isSimpleSchema(this.parameters)) this.#schema = compileParameters(this);
    Object.freeze(this);
  }

  static made(tool: object): tool is DefinedTool {
    return #schema in tool;
  }

  schema(): CompiledSchema<Record<string, unknown>> {
    this.#schema ??= compileParameters(this);
    return this.#schema;
  }
}

function compileParameters({ name, parameters }: ToolDef): CompiledSchema<Record<string, unknown>> {
  return compileSchema<JsonSchema>(parameters, `tool ${JSON.stringify(name)}.parameters`);
}

/** The name of a tool as every vendor accepts it. */
const namePattern = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const optionTable = {
  name: (value) => {
    if (typeof value === "string" && namePattern.test(value)) return value;
    throw wrongName(value);
  },
  description: nonBlankString(),
  parameters: (value, name, { path = "a tool" }) => {
    recogniseSchema(value, `${path}.${name}`);
    return value as ObjectSchema;
  },
  execute: functionLike<ToolDef["execute"]>(),
  cache: optional(nested({ ttl: positiveNumber(longestTimerMs) } satisfies OptionTable<ToolCacheConfig>)),
  timeoutMs: optional(positiveNumber(longestTimerMs)),
  maxOutputBytes: optional(integer(1)),
  effect: optional(oneOf("pure", "idempotent", "once")),
  endsRun: optional(anyBoolean),
  publicErrors: optional(anyBoolean),
} satisfies OptionTable<ToolDef>;

/** The options that every tool has. */
const requiredCount = 4;

/**
 * Checks that the value has the fields of a tool, and throws `invalid_config` otherwise. The schema is not compiled.
 */
export function checkTool(tool: unknown): asserts tool is ToolDef {
  if (typeof tool !== "object" || tool === null) throw wrongOption("A tool", "an object", tool);
  const { name, description, parameters, execute, cache, timeoutMs, maxOutputBytes, effect, endsRun, publicErrors } =
    tool as Partial<ToolDef>;
  const label = optionTable.name(name);
  const where: OptionContext = { owner: "tool", path: `tool "${label}"`, openClasses: true };
  optionTable.description(description, "description", where);
  optionTable.parameters(parameters, "parameters", where);
  optionTable.execute(execute, "execute", where);
  const hasMore =
    cache !== undefined ||
    timeoutMs !== undefined ||
    maxOutputBytes !== undefined ||
    effect !== undefined ||
    endsRun !== undefined ||
    publicErrors !== undefined;
  // Most tools have no other options: the whole table is read only for those that do.
  if (hasMore || countFields(tool) !== requiredCount) readOptions(optionTable, tool, where);
}

function countFields(tool: object): number {
  let count = 0;
  for (const _ in tool) count++;
  return count;
}

function wrongName(name: unknown): TroupeError {
  const expected = "a string of 1 to 64 letters, digits, _ and - that begins with a letter or _";
  if (typeof name !== "string") return wrongOption("name of a tool", expected, name);
  return new TroupeError(
    "invalid_config",
    `name of a tool must be ${expected}, got ${JSON.stringify(name.slice(0, 80))}.`,
  );
}
