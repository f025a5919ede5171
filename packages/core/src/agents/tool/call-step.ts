import type { InterruptedCall, OpenStep } from "../journal/attempt.ts";
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

/** The value of a tool call in the journal: its result, and the sources that its child runs have passed on. */
type StoredCall = { readonly result: ToolCallResult; readonly sources?: readonly Source[] };

/** A question about a call: the facts for the one who answers. */
type CallQuestion = {
  readonly toolCallId: string;
  readonly tool: ToolDef;
  readonly args: Record<string, unknown>;
  /** JSON Schema of the arguments, for an answer that may change them. */
  readonly argsSchema?: object;
  readonly idempotencyKey?: string;
};

/** Returns the key of the step of a call. `place`: the number of the round trip and the index of the call. */
export function callKey(place: string): string {
  return `t/${place}`;
}

/** The step of a tool call in the journal of a durable run. */
export class CallStep {
  /** The call as an earlier attempt has logged it, whose result was not stored: it may have had its effect. */
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
   * Returns the result of a call that is in the journal, and lets the run know of its usage and sources; or begins its step.
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

  /** True when an earlier attempt has come to this call, and has told of it. */
  readonly isResumed: boolean;

  /** True when an earlier attempt has asked for the approval of the call. */
  get hasAskedApproval(): boolean {
    return this.#journal.hasWait(this.#key, "approval");
  }

  /** The scope of the child runs that the call starts. */
  get scope(): RunScope {
    return { meter: this.#meter, journal: this.#journal.within(this.#key) };
  }

  /** Resolves when the run of an attempt that is to make no call has ended. Undefined in all other attempts. */
  beforeWork(): Promise<void> | undefined {
    return this.#journal.beforeWork();
  }

  /** Logs that the tool is going to be executed, unless it changes nothing. Resolves when that is stored. */
  async announce(call: { tool: string; args: object; effect: ToolEffect; key: string }): Promise<void> {
    if (call.effect !== "pure") await this.#journal.call(this.#key, { ...call, args: call.args as Json });
  }

  /** Returns the answer to a question about the call. Until there is one, the run stops. Rejects as `timeout` after `waitMs`. */
  async ask(kind: WaitKind, { tool, toolCallId, argsSchema, ...facts }: CallQuestion): Promise<Json> {
    const times = this.interrupted?.times ?? 1;
    // Each time that the outcome is unknown is asked about anew.
    const key = kind === "doubt" && times > 1 ? `${this.#key}/${times}` : this.#key;
    const { name: toolName, waitMs } = tool;
    const about = { toolName, ...facts } as unknown as Json;
    const until = waitMs === undefined ? {} : { until: Date.now() + Math.ceil(waitMs) };
    const schema = argsSchema === undefined ? {} : { argsSchema: argsSchema as Json };
    return await this.#journal.wait(key, { kind, about, toolCallId, ...schema, ...until });
  }

  /** Logs the result of the call. */
  done(result: ToolCallResult): void {
    const sources = runOf(this.#context)?.sources.slice(this.#sourcesBefore) ?? [];
    const { total } = this.#meter;
    this.#step.done({ result, ...(sources.length > 0 && { sources }) }, total.totalTokens === 0 ? undefined : total);
  }

  /** Leaves the step. A call without a result is made again by the next attempt. */
  leave(): void {
    this.#step.leave();
  }
}
