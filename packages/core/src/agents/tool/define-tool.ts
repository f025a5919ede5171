import {
  booleanOption,
  functionOption,
  integerOption,
  longestTimerMs,
  nested,
  nonBlankString,
  oneOf,
  customOption,
} from "../../base/errors/option-checks.ts";
import { optional, positiveNumber } from "../../base/errors/option-checks.ts";
import { readOptions, wrongOption } from "../../base/errors/read-options.ts";
import type { OptionTable, OptionContext } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import type { InferSchema, JsonSchema, ObjectSchema } from "../../schema/object-schema.ts";
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
import { citesSources, isCitingTool } from "./citing-tool.ts";

/**
 * The argument of `defineTool`. The argument type of `execute` is inferred from `parameters`, and its result type from
 * its return value. Without `execute`, the client executes the calls.
 */
export type ToolDefinition<Schema extends ObjectSchema, Returned = ToolReturn | Promise<ToolReturn>> = {
  /** The tool's name: letters, digits, `_` and `-`; starts with a letter or `_`; at most 64 characters. */
  name: string;
  /** The purpose of the tool, for the model. */
  description: string;
  /** The schema of the arguments: zod, valibot, arktype, or a JSON Schema. */
  parameters: Schema;
  /** Returns a string, a JSON value, an array of content parts, or a `ToolResult` with one of these as content. */
  execute?: { execute(args: InferSchema<Schema>, context: ToolContext): Returned }["execute"] | undefined;
  /** Reuses results of calls with equal arguments. */
  cache?: ToolCacheConfig | undefined;
  /** Milliseconds after which a call of the tool fails. @default 60000 */
  timeoutMs?: number | undefined;
  /** The maximum bytes of a tool's content for the model. Longer content is cut, with a note. @default 262144 */
  maxOutputBytes?: number | undefined;
  /**
   * The effect of the tool, which decides how a durable run treats a call whose result was lost: see `ToolEffect`.
   * @default "once"
   */
  effect?: ToolEffect | undefined;
  /** Makes all calls, or the calls that a function selects, wait for an approval: see `ToolDef`. @default false */
  needsApproval?: ApprovalCheck<InferSchema<Schema>> | undefined;
  /** Determines if an interrupted call of effect `once` took place: see `ToolDef`. */
  verify?: VerifyCall<InferSchema<Schema>> | undefined;
  /** Policy for a call of effect `once` if it is unknown whether it took place: see `ToolDef`. @default "ask" */
  onDoubt?: DoubtPolicy | undefined;
  /** The maximum wait of a durable run for an answer about a call, in milliseconds: see `ToolDef`. @default no limit */
  waitMs?: number | undefined;
  /** Makes the result of a call the answer of the run: see `ToolDef`. @default false */
  endsRun?: boolean | undefined;
  /** Shows clients the messages of errors that the tool throws: see `ToolDef`. @default false */
  publicErrors?: boolean | undefined;
};

/** Stands for the result type of `execute` in the type of a tool without `execute`. */
declare const noExecute: unique symbol;

/** The type of the tool that `defineTool` returns: with `execute` if the definition has it. */
type DefinedBy<Returned> = unknown extends Returned
  ? ExecutableTool
  : [Returned] extends [never]
    ? ExecutableTool
    : [Returned] extends [typeof noExecute]
      ? ToolDef
      : ExecutableTool;

/**
 * Makes a tool for a model to call, checked and frozen. Throws `invalid_config` for a mistake in the definition or its
 * schema.
 */
export function defineTool<const Schema extends ObjectSchema, Returned = typeof noExecute>(
  definition: ToolDefinition<Schema, Returned & CheckedReturn<Returned>>,
): DefinedBy<Returned> {
  return new DefinedTool(definition) as DefinedBy<Returned>;
}

/** Returns true if a value is a tool made by `defineTool`. Such a tool has been checked and needs no second check. */
export function isDefinedTool(tool: unknown): boolean {
  return typeof tool === "object" && tool !== null && DefinedTool.made(tool);
}

/**
 * Returns the compiled schema of a tool's arguments. A defined tool shares it between all agents that have the tool.
 */
export function argumentSchemaOf(tool: ToolDef): CompiledSchema<Record<string, unknown>> {
  return DefinedTool.made(tool) ? tool.schema : compileParameters(tool);
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
  readonly #schema: CompiledSchema<Record<string, unknown>>;

  constructor(definition: unknown) {
    checkTool(definition);
    // The tool is assigned field by field, which is several times as fast as copying.
    this.name = definition.name;
    this.description = definition.description;
    this.parameters = definition.parameters;
    if (definition.execute !== undefined) this.execute = definition.execute;
    this.#addResultOptions(definition);
    this.#addEffectOptions(definition);
    this.#schema = compileParameters(this);
    if (isCitingTool(definition)) Object.assign(this, { [citesSources]: true });
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

  get schema(): CompiledSchema<Record<string, unknown>> {
    return this.#schema;
  }
}

function compileParameters({ name, parameters }: ToolDef): CompiledSchema<Record<string, unknown>> {
  return compileSchema<JsonSchema>(parameters, `tool ${JSON.stringify(name)}.parameters`);
}

/** Matches tool names that every vendor accepts. */
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
  execute: optional(functionOption<ExecutableTool["execute"]>()),
  cache: optional(nested({ ttl: positiveNumber(longestTimerMs) } satisfies OptionTable<ToolCacheConfig>)),
  timeoutMs: optional(positiveNumber(longestTimerMs)),
  maxOutputBytes: optional(integerOption(1)),
  effect: optional(oneOf("pure", "idempotent", "once")),
  needsApproval: optional(
    customOption<ApprovalCheck>("true, false, or a function", (value) => {
      return typeof value === "boolean" || typeof value === "function";
    }),
  ),
  verify: optional(functionOption<VerifyCall>()),
  onDoubt: optional(oneOf("ask", "tell")),
  waitMs: optional(positiveNumber(longestTimerMs)),
  endsRun: optional(booleanOption),
  publicErrors: optional(booleanOption),
} satisfies OptionTable<ToolDef>;

/** The number of options that most tools have: the name, the description, the parameters and `execute`. */
const usualCount = 4;

/** Options of a tool about the execution of calls, which require `execute`. */
const ofExecute = ["cache", "timeoutMs", "effect", "verify", "onDoubt", "publicErrors"] as const;

/**
 * Checks that a value has the fields of a tool, and throws `invalid_config` otherwise. The schema of the arguments is
 * not compiled.
 */
export function checkTool(tool: unknown): asserts tool is ToolDef {
  if (typeof tool !== "object" || tool === null) throw wrongOption("A tool", "an object", tool);
  const { name, description, parameters, execute } = tool as Partial<ToolDef>;
  const label = optionTable.name(name);
  const where: OptionContext = { owner: "tool", path: `tool "${label}"`, openClasses: true };
  optionTable.description(description, "description", where);
  optionTable.parameters(parameters, "parameters", where);
  optionTable.execute(execute, "execute", where);
  // Most tools have exactly these four options. The whole table of options is read only for other tools.
  const isPlain = Object.getPrototypeOf(tool) === Object.prototype;
  if (isPlain && execute !== undefined && countFields(tool) === usualCount) return;
  readOptions(optionTable, tool, where);
  refuseWithoutEffect(tool as ToolDef, where.path);
}

/** Throws for options of a tool that have no effect together with its other options. */
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

/** Rejects `waitMs` on a tool that never waits. */
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
