import { compileSchema } from "../schema/compile-schema.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import type { RunContext } from "../run/run-context.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "../schema/object-schema.ts";
import { checkTool, parametersLabel } from "./check-tool.ts";
import type { ToolCacheConfig, ToolDef, ToolEffect, ToolResult } from "./tool.ts";

/** A tool as one writes it: `execute` knows its arguments from the schema. */
export type ToolDefinition<Schema extends ObjectSchema> = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  /** Tells the model what the tool is for. */
  description: string;
  parameters: Schema;
  execute(args: InferSchema<Schema>, context: RunContext): string | ToolResult | Promise<string | ToolResult>;
  cache?: ToolCacheConfig;
  /** @default 60000 */
  timeoutMs?: number;
  /** @default 262144 */
  maxOutputBytes?: number;
  /** @default "once" */
  effect?: ToolEffect;
};

/** Makes a tool. What is wrong with it is said here, as `invalid_config`; its schema is compiled when it is first used. */
export function defineTool<const Schema extends ObjectSchema>(definition: ToolDefinition<Schema>): ToolDef {
  return new DefinedTool(definition);
}

/** Whether the tool is known to be good: made by `defineTool`, and frozen since. */
export function isDefined(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && DefinedTool.made(tool);
}

/** The schema of a tool's arguments, made ready. A defined tool keeps it, whoever else it is given to. */
export function schemaOf(tool: ToolDef): CompiledSchema<Record<string, unknown>> {
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
  #schema: CompiledSchema<Record<string, unknown>> | undefined;

  constructor(definition: unknown) {
    checkTool(definition);
    // Field by field, which is several times as fast as copying: tools are made in masses, with agents.
    this.name = definition.name;
    this.description = definition.description;
    this.parameters = definition.parameters as JsonSchema;
    // oxlint-disable-next-line typescript/unbound-method -- a method of the same definition, called as the tool's own
    this.execute = definition.execute;
    if (definition.cache !== undefined) this.cache = definition.cache;
    if (definition.timeoutMs !== undefined) this.timeoutMs = definition.timeoutMs;
    if (definition.maxOutputBytes !== undefined) this.maxOutputBytes = definition.maxOutputBytes;
    if (definition.effect !== undefined) this.effect = definition.effect;
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
  return compileSchema(parameters as JsonSchema, parametersLabel(name));
}
