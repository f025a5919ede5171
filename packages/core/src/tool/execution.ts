import { TroupeError } from "../errors/troupe-error.ts";
import type { RunContext } from "../run/run-context.ts";
import { contextWithin } from "../run/run.ts";
import { failureText, loggedCause } from "./failure-text.ts";
import { failed } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { readToolResult } from "./read-tool-result.ts";
import type { ToolDef } from "./tool.ts";

const defaultTimeoutMs = 60_000;

/** How long a tool may go on after it was told to stop, before somebody is told. */
const graceMs = 1000;

/** What is executed, and for which call. */
export type ExecutionPlan = {
  readonly tool: ToolDef;
  /** The tool's own copy. */
  readonly args: Record<string, unknown>;
  /** The context of the run. */
  readonly context: RunContext;
  readonly toolCallId: string;
  readonly idempotencyKey: string;
};

/**
 * A tool at work, and those who wait for it. It ends when the tool does, when its time is over, or when the last one who
 * waited has left; what the tool does after that changes nothing.
 */
export class Execution {
  /** Never rejects: a failure is an outcome too. */
  readonly outcome: Promise<Outcome>;
  readonly #tool: ToolDef;
  readonly #context: RunContext;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: (outcome: Outcome) => void = ignore;
  #grace: NodeJS.Timeout | undefined;
  #isOver = false;
  #waiting = 0;

  constructor({ tool, args, context, toolCallId, idempotencyKey }: ExecutionPlan) {
    const { timeoutMs = defaultTimeoutMs } = tool;
    const logger = context.logger.child({ toolName: tool.name, toolCallId });
    this.#tool = tool;
    this.#context = contextWithin(context, { toolCallId, idempotencyKey, signal: this.#abort.signal, logger });
    this.outcome = new Promise((resolve) => (this.#end = resolve));
    this.#timer = setTimeout(() => this.#stop(tookTooLong(tool.name, timeoutMs)), timeoutMs);
    void this.#execute(args);
  }

  /** Whether the outcome stands. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** One more waits for the outcome. The function that is returned says that this one waits no longer. */
  join(): (reason: TroupeError) => void {
    this.#waiting++;
    return (reason) => {
      this.#waiting--;
      if (this.#waiting === 0) this.#stop(reason);
    };
  }

  async #execute(args: Record<string, unknown>): Promise<void> {
    try {
      const value: unknown = await this.#tool.execute(args, this.#context);
      if (!this.#isOver) this.#finish(readToolResult(value, this.#tool.maxOutputBytes));
    } catch (error) {
      if (!this.#isOver) this.#fail(error);
    } finally {
      clearTimeout(this.#grace);
    }
  }

  #fail(error: unknown): void {
    const { name } = this.#tool;
    this.#context.logger.warn(`The tool ${name} failed.`, { error: loggedCause(error, this.#context) });
    this.#finish(failed(failureText(`The tool ${name} failed`, error, this.#context)));
  }

  #stop(reason: TroupeError): void {
    if (this.#isOver) return;
    this.#finish(failed(reason.message));
    this.#abort.abort(reason);
    this.#grace = setTimeout(() => this.#reportStillRunning(reason), graceMs).unref();
  }

  #reportStillRunning({ code }: TroupeError): void {
    this.#context.logger.warn(
      `The tool ${this.#tool.name} is still running ${graceMs} ms after it was told to stop (${code}): end its work when context.signal aborts.`,
    );
  }

  #finish(outcome: Outcome): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#end(outcome);
  }
}

function tookTooLong(name: string, timeoutMs: number): TroupeError {
  return new TroupeError("timeout", `The tool ${name} took longer than ${timeoutMs} ms and was stopped.`);
}

function ignore(): void {}
