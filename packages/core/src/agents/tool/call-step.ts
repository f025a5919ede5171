import type { OpenStep } from "../journal/attempt.ts";
import type { InterruptedCall } from "../journal/logged-past.ts";
import type { Journal } from "../journal/journal.ts";
import type { WaitKind } from "../journal/log-entry.ts";
import type { Source } from "../../base/message/source.ts";
import type { ToolCallResult, ToolEffect } from "../../base/message/tool-call.ts";
import { meterOf, runOf } from "../run/derive-context.ts";
import type { RunScope } from "../run/derive-context.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ToolDef } from "../run/tool.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import type { Json } from "../../sessions/storage/json.ts";

/** The journal value of a tool call: its result, and the sources that its child runs have passed on. */
type StoredCall = { readonly result: ToolCallResult; readonly sources?: readonly Source[] };

/** A question about a tool call, with facts for the person who answers. */
type CallQuestion = {
  readonly toolCallId: string;
  readonly tool: ToolDef;
  readonly args: Record<string, unknown>;
  /** JSON Schema of the arguments, for an answer that may change them. */
  readonly argsSchema?: object;
  readonly idempotencyKey?: string;
};

/** Returns the journal key of a tool call. `place`: the number of the round trip and the index of the call. */
export function callKey(place: string): string {
  return `t/${place}`;
}

/** The journal step of a tool call in a durable run. */
export class CallStep {
  /** The tool call as an earlier attempt logged it without a result: it may have had its effect. */
  readonly interrupted: InterruptedCall | undefined;
  /** Counts the usage of the child runs of the call. */
  readonly #meter: UsageMeter;
  readonly #journal: Journal;
  readonly #key: string;
  readonly #step: OpenStep;
  readonly #context: RunContext;
  readonly #sourcesBefore: number;

  private constructor(journal: Journal, key: string, context: RunContext) {
    this.#journal = journal;
    this.#key = key;
    this.#context = context;
    this.#meter = new UsageMeter({ parent: meterOf(context) });
    this.#sourcesBefore = runOf(context)?.sources.length ?? 0;
    this.interrupted = journal.callOf(key);
    this.isResumed = journal.hasBegun(key);
    this.#step = journal.begin(key);
  }

  /**
   * Returns a tool call's stored result and adds its usage and sources to the run, or begins the call's journal step.
   * Returns undefined in a run without a journal.
   */
  static open(place: string, context: RunContext): CallStep | ToolCallResult | undefined {
    const run = runOf(context);
    if (run?.journal === undefined) return undefined;
    const key = callKey(place);
    const stored = run.journal.stored(key);
    if (stored === undefined) return new CallStep(run.journal, key, context);
    const { result, sources } = stored.value as unknown as StoredCall;
    if (stored.usage !== undefined) meterOf(context)?.add(stored.usage);
    run.passOnSources(sources);
    return result;
  }

  /** True if an earlier attempt has logged a part of this tool call, so that its `tool.call` is not emitted again. */
  readonly isResumed: boolean;

  /** True if an earlier attempt has requested the approval of the call. */
  get hasAskedApproval(): boolean {
    return this.#journal.hasWait(this.#key, "approval");
  }

  /** The scope of the child runs that the call starts. */
  get scope(): RunScope {
    return { meter: this.#meter, journal: this.#journal.within(this.#key) };
  }

  /** Resolves when the run has ended, in an attempt that may execute no new calls. Undefined in all other attempts. */
  beforeWork(): Promise<void> | undefined {
    return this.#journal.beforeWork();
  }

  /** Logs that the tool is about to be executed, unless the tool is `pure`. Resolves when the entry is stored. */
  async announce(call: { tool: string; args: object; effect: ToolEffect; key: string }): Promise<void> {
    if (call.effect !== "pure") await this.#journal.call(this.#key, { ...call, args: call.args as Json });
  }

  /**
   * Returns the answer to a question about the tool call. The run may be suspended until there is an answer. After
   * `waitMs` an approval is answered as denied, and any other question rejects as `timeout`.
   */
  async ask(kind: WaitKind, { tool, toolCallId, argsSchema, ...facts }: CallQuestion): Promise<Json> {
    const times = this.interrupted?.times ?? 1;
    // Every interruption of a tool call asks again what happened.
    const key = kind === "doubt" && times > 1 ? `${this.#key}/${times}` : this.#key;
    const { name: toolName, waitMs } = tool;
    const about = { toolName, ...facts } as unknown as Json;
    const until = waitMs === undefined ? {} : { until: Date.now() + Math.ceil(waitMs) };
    const schema = argsSchema === undefined ? {} : { argsSchema: argsSchema as Json };
    return await this.#journal.wait(key, { kind, about, toolCallId, ...schema, ...until });
  }

  /** Logs the result of the tool call, with the usage and sources of its child runs. */
  done(result: ToolCallResult): void {
    const sources = runOf(this.#context)?.sources.slice(this.#sourcesBefore) ?? [];
    const { total } = this.#meter;
    this.#step.done({ result, ...(sources.length > 0 && { sources }) }, total.totalTokens === 0 ? undefined : total);
  }

  /** Leaves the journal step. A call without a result is continued by the next attempt at the run. */
  leave(): void {
    this.#step.leave();
  }
}
