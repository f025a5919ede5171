import type { ContentPart } from "../../base/message/content.ts";
import type { Source } from "../../base/message/source.ts";
import type { Artifact, ToolEffect } from "../../base/message/tool-call.ts";
import type { RunContext } from "./run-context.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { Json } from "../../sessions/storage/json.ts";

/**
 * Options of a tool's cache: equal calls of one user with the same API keys get the same result for `ttl` milliseconds.
 * Failures are not cached. Equal calls of a `pure` tool at the same time share one execution.
 */
export type ToolCacheConfig = {
  /** Milliseconds for which a result is reused. */
  ttl: number;
};

/**
 * A tool's content for the model: a string, or an array of content parts (text, images, audio, files). Any other JSON
 * value reaches the model as JSON text.
 */
type ToolContent = Json | ContentPart[];

/**
 * The result of a tool: content for the model, artifacts that the model does not see, and the sources of the content.
 * The sources are added to the sources of the run, with the id of the call. An object with other fields counts as a
 * JSON value.
 */
export type ToolResult = { content: ToolContent; artifacts?: Artifact[]; sources?: Source[] };

/** A value that a tool may return. */
export type ToolReturn = ToolContent | ToolResult;

/**
 * The return type of a tool's `execute`: a `ToolReturn` or a promise of it. Interfaces are accepted here, unlike in
 * `ToolReturn`. Parts that are not JSON, such as a function, a Date or a bigint, are replaced by a type that does not
 * fit.
 */
export type CheckedReturn<Returned> = unknown extends Returned
  ? Returned
  : Returned extends Promise<infer Value>
    ? Promise<CheckedValue<Value>>
    : CheckedValue<Returned>;

type CheckedValue<Value> = unknown extends Value
  ? Value
  : Value extends NoJson
    ? NotReturnable
    : Value extends { readonly content: unknown; readonly artifacts: infer Artifacts }
      ? Artifacts extends readonly Artifact[] | undefined
        ? { [Key in keyof Value]: Key extends "artifacts" ? Value[Key] : CheckedValue<Value[Key]> }
        : NotReturnable
      : Value extends ToolReturn
        ? Value
        : { [Key in keyof Value]: CheckedValue<Exclude<Value[Key], undefined>> | Extract<Value[Key], undefined> };

type NoJson = undefined | void | bigint | symbol | ((...args: never) => unknown);

type NotReturnable = {
  "a tool returns a string, JSON, an array of content parts, or { content, artifacts?, sources? }": never;
};

/**
 * Decides if a call needs an approval before it is executed: a boolean for every call, or a function of the checked
 * arguments.
 */
export type ApprovalCheck<Args = Record<string, unknown>> =
  | boolean
  | { needed(args: Args, context: RunContext): boolean | Promise<boolean> }["needed"];

/**
 * Policy of a durable run that cannot know if a call had its effect before its process ended. `ask` waits for an
 * answer. `tell` reports to the model that the outcome is unknown.
 */
export type DoubtPolicy = "ask" | "tell";

/**
 * The context that a tool is called with: the run's context, the ids of the call, and a function to report progress.
 */
export type ToolContext = RunContext & {
  readonly toolCallId: string;
  readonly idempotencyKey: string;
  /**
   * Reports the progress of the tool, as any JSON value: to the event `tool.progress`, and to the run's stream as
   * `tool_progress`. A slow reader of the stream receives only the newest progress. Does nothing after the tool has
   * ended.
   */
  readonly report: (progress: unknown) => void;
};

// `execute` is declared as a method, because TypeScript lets a method's parameters be narrower: a tool with any schema
// can be assigned to the type.
type ExecuteTool = {
  execute(args: Record<string, unknown>, context: RunContext): ToolReturn | Promise<ToolReturn>;
}["execute"];

/**
 * A tool that a model may call: its name, description and argument schema, and the function that executes a call.
 * Without that function the client executes the calls, and only a run of a `RunService` can wait for the client. Made
 * by `defineTool`, or a plain object.
 */
export type ToolDef = {
  /** The tool's name: letters, digits, `_` and `-`; starts with a letter or `_`; at most 64 characters. */
  name: string;
  /** The purpose of the tool, for the model. */
  description: string;
  /** The schema of the arguments: zod, valibot, arktype, or a JSON Schema. */
  parameters: ObjectSchema;
  /**
   * Called with arguments that fit `parameters`. If it throws, the model receives the message as an error; clients do
   * not see that message unless `publicErrors` is set. Returning a value that is not JSON is an error too.
   */
  execute?: ExecuteTool | undefined;
  /** Reuses results of calls with equal arguments. */
  cache?: ToolCacheConfig | undefined;
  /** Milliseconds after which a call of the tool fails. @default 60000 */
  timeoutMs?: number | undefined;
  /**
   * The maximum size of the content for the model, in bytes of UTF-8. Longer text is cut, and an image, audio or file
   * that does not fit is omitted; a note informs the model. @default 262144
   */
  maxOutputBytes?: number | undefined;
  /**
   * The effect of the tool, which decides how a durable run treats a call whose result was lost: see `ToolEffect`.
   * @default "once"
   */
  effect?: ToolEffect | undefined;
  /**
   * Makes a call wait for an approval, after `onToolCall`, even if its result is cached. The hook `onApproval` decides.
   * Without that hook, a run of a `RunService` waits for an answer, and any other run denies the call with a warning.
   * If the function throws, an approval is needed. @default false
   */
  needsApproval?: ApprovalCheck | undefined;
  /**
   * For a tool of effect `once` whose process ended during a call. Returns `{ result }` if the call with this
   * `idempotencyKey` took place; the model receives that result. Returns `null` if it did not take place; the tool is
   * then executed again. If the function throws, `onDoubt` decides.
   */
  verify?: VerifyCall | undefined;
  /**
   * Policy of a tool of effect `once` if it is unknown whether a call took place. `ask` waits for a person; `tell`
   * reports to the model that the outcome is unknown. @default "ask"
   */
  onDoubt?: DoubtPolicy | undefined;
  /**
   * Milliseconds that a durable run waits for an approval, for the client, or for an answer about an interrupted call.
   * After that the call is denied, fails, or is reported to the model as unknown. @default no limit
   */
  waitMs?: number | undefined;
  /**
   * Ends the run with the result of a call: its text, or JSON as text, is the run's answer, without a further model
   * call. Other calls of the same model answer finish first; if two end the run, the first of them counts. A call that
   * fails, or whose result does not fit the agent's structured output, is an error for the model, and the run
   * continues. @default false
   */
  endsRun?: boolean | undefined;
  /**
   * Shows clients the messages of errors that the tool throws, in `error`. Otherwise only the model receives them, and
   * clients only read that the tool failed. @default false
   */
  publicErrors?: boolean | undefined;
};

/** A tool whose calls the program executes. */
export type ExecutableTool = ToolDef & { execute: ExecuteTool };

/** The option `verify` of a tool: returns the result of a call that took place, or null. */
export type VerifyCall<Args = Record<string, unknown>> = {
  verify(key: string, args: Args): Promise<{ result: ToolReturn } | null>;
}["verify"];

/**
 * A source of tools that are loaded when a run begins, such as a toolkit or a tool server. Pass it to an agent among
 * its tools.
 */
export interface ToolSource {
  /**
   * Returns the tools, or a promise of them if the source must connect first. Later calls return the same names, unless
   * the source chooses tools by the run's context. A changed tool replaces the earlier tool of the same name. Models
   * receive the tools sorted by name.
   */
  getTools(context?: RunContext): ToolDef[] | Promise<ToolDef[]>;
  /** Releases the resources of the tool source. Closing twice is safe. */
  close?(): Promise<void>;
}
