import type { ContentPart } from "../../base/message/content.ts";
import type { Artifact, ToolEffect } from "../../base/message/tool-call.ts";
import type { RunContext } from "./run-context.ts";
import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { Json } from "../../sessions/storage/json.ts";

/**
 * Options of the cache of a tool: equal calls of one user with the same API keys get the same result for `ttl`
 * milliseconds. Failures are not cached. Equal calls of a `pure` tool at the same time share an execution.
 */
export type ToolCacheConfig = {
  /** Milliseconds for which a result is used again. */
  ttl: number;
};

/**
 * Content for the model as a tool returns it: a string, an array of content parts (text, images, audio, files), or any
 * other JSON value, which the model gets as JSON text.
 */
type ToolContent = Json | ContentPart[];

/**
 * The result of a tool: content for the model, and artifacts that the model does not see. An object with other fields
 * than these two is a JSON value.
 */
export type ToolResult = { content: ToolContent; artifacts?: Artifact[] };

/** A value that a tool may return. */
export type ToolReturn = ToolContent | ToolResult;

/**
 * The return type of a tool's `execute`, if it may return such a value or a promise of one. Interfaces are taken, unlike
 * by `ToolReturn`; in place of a part that is no JSON, such as a function, a Date or a bigint, stands a type that does
 * not fit.
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

type NotReturnable = { "a tool returns a string, JSON, an array of content parts, or { content, artifacts? }": never };

/**
 * Tells if a call needs an approval before it is made: every call, or those for which a function of the checked arguments
 * says so.
 */
export type ApprovalCheck<Args = Record<string, unknown>> =
  | boolean
  | { needed(args: Args, context: RunContext): boolean | Promise<boolean> }["needed"];

/**
 * Conduct of a durable run that cannot know if a call with an effect took place before its process ended: it waits for an
 * answer (`ask`), or tells the model that the outcome is unknown (`tell`).
 */
export type DoubtPolicy = "ask" | "tell";

/** The context that a tool is called with: the run's, with the ids of the call and a way to report its progress. */
export type ToolContext = RunContext & {
  readonly toolCallId: string;
  readonly idempotencyKey: string;
  /**
   * Reports how far the tool has come, as any JSON value: to the event `tool.progress`, and to the stream of the run as
   * `tool_progress`. A slow reader of the stream gets the newest progress alone. After the tool has ended it does nothing.
   */
  readonly report: (progress: unknown) => void;
};

// The type of a method, whose arguments may be narrower: a tool of any schema is a tool.
type ExecuteTool = {
  execute(args: Record<string, unknown>, context: RunContext): ToolReturn | Promise<ToolReturn>;
}["execute"];

/**
 * A tool that a model may call: its name, description and argument schema, and the function that executes a call. Without
 * that function, the client executes the calls, and only a run of a `RunService` can wait for it. Made by `defineTool`, or
 * a plain object.
 */
export type ToolDef = {
  /** Letters, digits, `_` and `-`; starts with a letter or `_`; at most 64. */
  name: string;
  /** The purpose of the tool, for the model. */
  description: string;
  /** The schema of the arguments: zod, valibot, arktype, or a JSON Schema. */
  parameters: ObjectSchema;
  /**
   * Called with arguments that fit `parameters`. The model gets the message of what it throws as an error. Clients do not see
   * that message, unless `publicErrors` is set. Returning a value that is not JSON is an error, too.
   */
  execute?: ExecuteTool | undefined;
  /** Reuses results for the same arguments. */
  cache?: ToolCacheConfig | undefined;
  /** Milliseconds after which a call fails. @default 60000 */
  timeoutMs?: number | undefined;
  /**
   * The size of the content that the model gets, in bytes of UTF-8. Longer text is cut, and an image, audio or file that
   * does not fit is left out; a note tells the model. @default 262144
   */
  maxOutputBytes?: number | undefined;
  /** The conduct of a durable run after a call whose result was lost: see `ToolEffect`. @default "once" */
  effect?: ToolEffect | undefined;
  /**
   * Makes a call wait for an approval, after `onToolCall` and even if its result is cached. The hook `onApproval` decides.
   * Without it, a run of a `RunService` waits for an answer, and any other run denies the call with a warning. If the function
   * throws, an approval is needed. @default false
   */
  needsApproval?: ApprovalCheck | undefined;
  /**
   * For a tool of effect `once` whose process ended during a call: returns `{ result }` if the call with this `idempotencyKey`
   * took place, and the model gets that result. After `null` the tool is executed again. If it throws, `onDoubt` decides.
   */
  verify?: VerifyCall | undefined;
  /**
   * For a tool of effect `once`: `ask` waits for a person if it is unknown whether a call took place, and `tell` reports to the
   * model that the outcome is unknown. @default "ask"
   */
  onDoubt?: DoubtPolicy | undefined;
  /**
   * Milliseconds that a durable run waits for an approval, for the client, or for an answer about an interrupted call. Then the
   * call is denied, has failed, or is reported to the model as unknown. @default no limit
   */
  waitMs?: number | undefined;
  /**
   * Ends the run with the result of a call: its text, or JSON as text, is the run's answer, and the model is not called
   * again. Other calls of the same model call are finished first; if two end the run, the first one counts. A call that
   * fails, or whose result does not fit the agent's structured output, is an error for the model, and the run continues.
   * @default false
   */
  endsRun?: boolean | undefined;
  /**
   * Shows clients the messages of what the tool throws, in `error`. Otherwise only the model gets them, and clients read that
   * the tool failed. @default false
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
 * A source of tools that are loaded when a run begins, such as a toolkit or a tool server; given to an agent among its
 * tools.
 */
export interface ToolSource {
  /**
   * Returns the tools; a promise of them where it connects first. Called again, it returns the same names, unless it chooses
   * them by the context of the run that asks. A changed tool of the same name takes the place of the earlier one. Models are given
   * them by name, in whatever order they come.
   */
  getTools(context?: RunContext): ToolDef[] | Promise<ToolDef[]>;
  /** Releases what the source holds. Closing twice is safe. */
  close?(): Promise<void>;
}
