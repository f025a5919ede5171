import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunContext } from "../run/run-context.ts";
import { deriveContext, runOfContext } from "../run/derive-context.ts";
import type { RunScope } from "../run/derive-context.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { failureText, loggedCause } from "./failure-text.ts";
import { outcomeOfReturn } from "./read-tool-result.ts";
import { failedOutcome } from "./tool-outcome.ts";
import type { ToolOutcome } from "./tool-outcome.ts";
import type { ExecutableTool, ToolContext } from "../run/tool.ts";

/** The default time limit of a tool, in milliseconds. */
export const defaultTimeoutMs = 60_000;

/** Milliseconds after which the log reports an aborted tool that is still running. */
const gracePeriodMs = 1000;

/**
 * Constructor options of a `ToolExecution`: the tool, its checked arguments, the ids of the call, and the run's
 * context.
 */
export type ToolExecutionOptions = {
  readonly tool: ExecutableTool;
  /** A copy of the call's arguments, which the tool may change. */
  readonly args: Record<string, unknown>;
  /** The context of the run. */
  readonly context: RunContext;
  readonly toolCallId: string;
  readonly idempotencyKey: string;
  /** Meter and steps for the child runs that the tool starts, instead of the run's own. */
  readonly scope?: RunScope | undefined;
};

/** Receives the progress that a tool reports. */
type ProgressListener = (progress: unknown) => void;

/**
 * One execution of a tool, for which several equal calls may wait. It ends when the tool ends, when its time is over,
 * or when the last waiting call has left. Anything that the tool does afterwards is ignored.
 */
export class ToolExecution {
  /** The outcome of the tool's execution. It never rejects, because a failure is an outcome too. */
  readonly outcome: Promise<ToolOutcome>;
  readonly #tool: ExecutableTool;
  readonly #context: ToolContext;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: (outcome: ToolOutcome) => void = ignore;
  #warning: NodeJS.Timeout | undefined;
  #isOver = false;
  #waiting = 0;
  readonly #listeners = new Set<ProgressListener>();
  /** The newest progress of the tool. The tool may report before the first call has joined. */
  #progress: { readonly value: unknown } | undefined;

  constructor({ tool, args, context, toolCallId, idempotencyKey, scope }: ToolExecutionOptions) {
    const { timeoutMs = defaultTimeoutMs } = tool;
    const logger = context.logger.child({ toolName: tool.name, toolCallId });
    this.#tool = tool;
    const { signal } = this.#abort;
    const report = (progress: unknown) => this.#report(progress);
    this.#context = deriveContext(context, { toolCallId, idempotencyKey, signal, logger, report }, scope);
    this.outcome = new Promise((resolve) => (this.#end = resolve));
    this.#timer = setTimeout(() => this.#stop(tookTooLong(tool.name, timeoutMs)), timeoutMs);
    void this.#execute(args);
  }

  /** True once the outcome of the execution is settled. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Adds a tool call that waits for the outcome and receives progress. Returns the function with which it leaves. */
  join(onProgress: ProgressListener = ignore): (reason: TroupeError) => void {
    this.#waiting++;
    this.#listeners.add(onProgress);
    if (this.#progress !== undefined && !this.#isOver) onProgress(this.#progress.value);
    return (reason) => {
      this.#waiting--;
      this.#listeners.delete(onProgress);
      if (this.#waiting === 0) this.#stop(reason);
    };
  }

  #report(progress: unknown): void {
    if (this.#isOver) return;
    const value = cleanJson(progress, (place, problem) => {
      return new TroupeError("invalid_value", `The progress of a tool must be JSON: progress${place} ${problem}.`);
    });
    this.#progress = { value };
    for (const listener of this.#listeners) listener(value);
  }

  async #execute(args: Record<string, unknown>): Promise<void> {
    try {
      const value: unknown = await this.#tool.execute(args, this.#context);
      if (this.#isOver) return;
      this.#finish(outcomeOfReturn(value, this.#tool, this.#context));
    } catch (error) {
      if (!this.#isOver) this.#fail(error);
    } finally {
      clearTimeout(this.#warning);
    }
  }

  #fail(error: unknown): void {
    const { name } = this.#tool;
    this.#context.logger.warn(`The tool ${name} failed.`, { error: loggedCause(error, this.#context) });
    const problem = failureText(`The tool ${name} failed`, error, this.#context);
    this.#finish(failedOutcome(problem, this.#tool.publicErrors === true ? problem : `The tool ${name} failed.`));
  }

  #stop(reason: TroupeError): void {
    if (this.#isOver) return;
    this.#finish(failedOutcome(reason.message));
    this.#abort.abort(reason);
    this.#warning = setTimeout(() => this.#reportStillRunning(reason), gracePeriodMs).unref();
  }

  #reportStillRunning({ code }: TroupeError): void {
    const { name: toolName } = this.#tool;
    const message = `The tool ${toolName} is still running ${gracePeriodMs} ms after its signal aborted (${code}): end its work when context.signal aborts.`;
    runOfContext(this.#context)?.warn("tool_still_running", message, { toolName });
  }

  #finish(outcome: ToolOutcome): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#end(outcome);
  }
}

function tookTooLong(name: string, timeoutMs: number): TroupeError {
  return new TroupeError("timeout", `The tool ${name} took longer than ${timeoutMs} ms and was stopped.`);
}

function ignore(): void {}
