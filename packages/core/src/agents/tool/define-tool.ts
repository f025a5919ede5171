import {
  anyBoolean,
  functionLike,
  integer,
  longestTimerMs,
  nested,
  nonBlankString,
  oneOf,
  satisfying,
} from "../../base/errors/option-checks.ts";
import { optional, positiveNumber } from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionTable, OptionContext } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "../../schema/object-schema.ts";
import { isSimpleSchema } from "../../schema/simple-schema.ts";
import { recogniseSchema } from "../../schema/recognise-schema.ts";
import type { ToolEffect } from "../../base/message/tool-call.ts";
import type {
  ApprovalCheck,
  CheckedReturn,
  DoubtPolicy,
  ExecutableTool,
  ToolCacheConfig,
  ToolContext,
  ToolDef,
  ToolReturn,
  VerifyCall,
} from "../run/tool.ts";
import { isChildRunTool, onStoredResult } from "./child-run-tool.ts";

/**
 * The argument of `defineTool`. The argument type of `execute` is inferred from `parameters`, and its result from what it
 * returns. Without `execute`, the client executes the calls.
 */
export type ToolDefinition<Schema extends ObjectSchema, Returned = ToolReturn | Promise<ToolReturn>> = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  /** The purpose of the tool, for the model. */
  description: string;
  /** The schema of the arguments: zod, valibot, arktype, or a JSON Schema. */
  parameters: Schema;
  /** Returns a string, a JSON value, an array of content parts, or a `ToolResult` with one of these as content. */
  execute?: { execute(args: InferSchema<Schema>, context: ToolContext): Returned }["execute"] | undefined;
  /** Reuses results for the same arguments. */
  cache?: ToolCacheConfig | undefined;
  /** Milliseconds after which a call fails. @default 60000 */
  timeoutMs?: number | undefined;
  /** The most bytes of a result. A longer one is cut, with a note for the model. @default 262144 */
  maxOutputBytes?: number | undefined;
  /** The conduct of a durable run after a call whose result was lost: see `ToolEffect`. @default "once" */
  effect?: ToolEffect | undefined;
  /** Makes all calls, or those that a function chooses, wait for an approval: see `ToolDef`. @default false */
  needsApproval?: ApprovalCheck<InferSchema<Schema>> | undefined;
  /** Finds out if an interrupted call of effect `once` took place: see `ToolDef`. */
  verify?: VerifyCall<InferSchema<Schema>> | undefined;
  /** The conduct if it is unknown whether a call of effect `once` took place: see `ToolDef`. @default "ask" */
  onDoubt?: DoubtPolicy | undefined;
  /** The longest wait of a durable run for an answer about a call, in milliseconds: see `ToolDef`. @default no limit */
  waitMs?: number | undefined;
  /** Makes the result of a call the answer of the run: see `ToolDef`. @default false */
  endsRun?: boolean | undefined;
  /** Shows clients the messages of what the tool throws: see `ToolDef`. @default false */
  publicErrors?: boolean | undefined;
};

/** Stands for the result of `execute` in the type of a tool that has none. */
declare const noExecute: unique symbol;

/** The type of the tool: one with `execute`, if the definition has it. */
type DefinedBy<Returned> = unknown extends Returned
  ? ExecutableTool
  : [Returned] extends [never]
    ? ExecutableTool
    : [Returned] extends [typeof noExecute]
      ? ToolDef
      : ExecutableTool;

/**
 * Makes a tool for a model to call, checked and frozen. A mistake in the definition or its schema is `invalid_config` at
 * once.
 */
export function defineTool<const Schema extends ObjectSchema, Returned = typeof noExecute>(
  definition: ToolDefinition<Schema, Returned & CheckedReturn<Returned>>,
): DefinedBy<Returned> {
  return new DefinedTool(definition) as DefinedBy<Returned>;
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
  declare execute?: ExecutableTool["execute"];
  declare cache?: ToolCacheConfig;
  declare timeoutMs?: number;
  declare maxOutputBytes?: number;
  declare effect?: ToolEffect;
  declare needsApproval?: ApprovalCheck;
  declare verify?: VerifyCall;
  declare onDoubt?: DoubtPolicy;
  declare waitMs?: number;
  declare endsRun?: boolean;
  declare publicErrors?: boolean;
  #schema: CompiledSchema<Record<string, unknown>> | undefined;

  constructor(definition: unknown) {
    checkTool(definition);
    // Field by field, which is several times as fast as copying.
    this.name = definition.name;
    this.description = definition.description;
    this.parameters = definition.parameters;
    if (definition.execute !== undefined) this.execute = definition.execute;
    this.#addResultOptions(definition);
    this.#addEffectOptions(definition);
    // A simple schema is sure to compile, which can wait until the tool is used: tools are made by the thousand.
    if (!isSimpleSchema(this.parameters)) this.#schema = compileParameters(this);
    if (isChildRunTool(definition)) Object.assign(this, { [onStoredResult]: definition[onStoredResult] });
    Object.freeze(this);
  }

  #addResultOptions({ cache, timeoutMs, maxOutputBytes, endsRun, publicErrors }: ToolDef): void {
    if (cache !== undefined) this.cache = cache;
    if (timeoutMs !== undefined) this.timeoutMs = timeoutMs;
    if (maxOutputBytes !== undefined) this.maxOutputBytes = maxOutputBytes;
    if (endsRun !== undefined) this.endsRun = endsRun;
    if (publicErrors !== undefined) this.publicErrors = publicErrors;
  }

  #addEffectOptions({ effect, needsApproval, verify, onDoubt, waitMs }: ToolDef): void {
    if (effect !== undefined) this.effect = effect;
    if (needsApproval !== undefined) this.needsApproval = needsApproval;
    if (verify !== undefined) this.verify = verify;
    if (onDoubt !== undefined) this.onDoubt = onDoubt;
    if (waitMs !== undefined) this.waitMs = waitMs;
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
  execute: optional(functionLike<ExecutableTool["execute"]>()),
  cache: optional(nested({ ttl: positiveNumber(longestTimerMs) } satisfies OptionTable<ToolCacheConfig>)),
  timeoutMs: optional(positiveNumber(longestTimerMs)),
  maxOutputBytes: optional(integer(1)),
  effect: optional(oneOf("pure", "idempotent", "once")),
  needsApproval: optional(
    satisfying<ApprovalCheck>("true, false, or a function", (value) => {
      return typeof value === "boolean" || typeof value === "function";
    }),
  ),
  verify: optional(functionLike<VerifyCall>()),
  onDoubt: optional(oneOf("ask", "tell")),
  waitMs: optional(positiveNumber(longestTimerMs)),
  endsRun: optional(anyBoolean),
  publicErrors: optional(anyBoolean),
} satisfies OptionTable<ToolDef>;

/** The number of options that most tools have: a name, a description, parameters and `execute`. */
const usualCount = 4;

/** Options that say how `execute` is called, and what becomes of a call under way. */
const ofExecute = ["cache", "timeoutMs", "effect", "verify", "onDoubt", "publicErrors"] as const;

/**
 * Checks that the value has the fields of a tool, and throws `invalid_config` otherwise. The schema is not compiled.
 */
export function checkTool(tool: unknown): asserts tool is ToolDef {
  if (typeof tool !== "object" || tool === null) throw wrongOption("A tool", "an object", tool);
  const { name, description, parameters, execute } = tool as Partial<ToolDef>;
  const label = optionTable.name(name);
  const where: OptionContext = { owner: "tool", path: `tool "${label}"`, openClasses: true };
  optionTable.description(description, "description", where);
  optionTable.parameters(parameters, "parameters", where);
  optionTable.execute(execute, "execute", where);
  // Most tools have these options and no others: the whole table is read only for the rest.
  const isPlain = Object.getPrototypeOf(tool) === Object.prototype;
  if (isPlain && execute !== undefined && countFields(tool) === usualCount) return;
  readOptions(optionTable, tool, where);
  refuseWithoutEffect(tool as ToolDef, where.path);
}

/** Refuses options that have no effect beside the others. */
function refuseWithoutEffect(tool: ToolDef, path = "a tool"): void {
  const { effect = "once" } = tool;
  if (tool.execute === undefined) {
    const stray = ofExecute.find((option) => tool[option] !== undefined);
    if (stray === undefined) return;
    const sentence = `${path}.${stray} has no effect without execute: the client executes the calls. Leave it out, or add execute.`;
    throw new TroupeError("invalid_config", sentence);
  }
  refuseVainWait(tool, path);
  const stray = (["verify", "onDoubt"] as const).find((option) => tool[option] !== undefined);
  if (stray === undefined || effect === "once") return;
  const sentence = `${path}.${stray} has no effect with effect "${effect}": such a call is made again. Leave it out, or use effect "once".`;
  throw new TroupeError("invalid_config", sentence);
}

/** Refuses a limit to the waits of a tool that has none: it needs no approval, and its calls are not asked about. */
function refuseVainWait(
  { waitMs, needsApproval = false, effect = "once", onDoubt = "ask" }: ToolDef,
  path: string,
): void {
  if (waitMs === undefined || needsApproval !== false || (effect === "once" && onDoubt === "ask")) return;
  const sentence = `${path}.waitMs has no effect on a tool that waits for no answer. Leave it out, or set needsApproval.`;
  throw new TroupeError("invalid_config", sentence);
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
