import type { RunService } from "../../runs/service/run-service.ts";
import type { RunCaller, RunEvent, RunKind, RunView } from "../../runs/record/run-view.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { PublicOutput } from "../../agents/run/run-output.ts";
import type { PublicResult } from "./served-event.ts";
import type { ServedStoredRun } from "./served-stored-run.ts";

/** A settled run: it has ended, with its output, or it waits for answers to the questions in `waiting.waits`. */
export type RunHandleOutcome<Output> =
  | { readonly output: Output; readonly waiting?: undefined }
  | { readonly waiting: RunView; readonly output?: undefined };

/** A handle of a run, for the program that began or found the run. The run does not depend on its handle. */
export class RunHandle<Output = PublicOutput | PublicResult> {
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunKind;
  /** The name of the agent, team or workflow in the service. */
  readonly name: string;
  /** True if the run outlives this process. */
  readonly isDurable: boolean;
  readonly #service: RunService;
  readonly #caller: RunCaller;
  /** Finds the run again, for another reader of its events. */
  readonly #open: () => Promise<{ readonly run: ServedStoredRun; readonly view: RunView }>;
  #output: Promise<Output> | undefined;

  /** Called by `begin` and `find` of a service. */
  constructor(run: ServedStoredRun, open: () => Promise<{ readonly run: ServedStoredRun; readonly view: RunView }>) {
    const { runId, sessionId, kind, name, isDurable, service, caller } = run;
    this.runId = runId;
    this.sessionId = sessionId;
    this.kind = kind;
    this.name = name;
    this.isDurable = isDurable;
    this.#service = service;
    this.#caller = caller;
    this.#open = open;
  }

  /**
   * Resolves with the output at the end of the run, however long it waits for answers, and rejects with its error. A
   * rejection never counts as unhandled.
   */
  get output(): Promise<Output> {
    if (this.#output === undefined) {
      this.#output = whileAlive(this.#readOutput());
      this.#output.catch(() => undefined);
    }
    return this.#output;
  }

  /**
   * Resolves once the run has ended or waits for an answer. Rejects with the error of a failed run, and with
   * `interrupted` if the service is closed: the run then continues in another process, or after a restart.
   */
  async settled(): Promise<RunHandleOutcome<Output>> {
    const { run, view } = await this.#open();
    if (view.endedAt !== undefined) return { output: run.outputOf(view) as Output };
    // The client of a handle never disconnects, so that the reading always has a result.
    return (await whileAlive(run.settled())) as RunHandleOutcome<Output>;
  }

  /**
   * Returns the events of the run, both existing and future events, up to its end. The reader may leave at any time.
   *
   * @param after the id of the last event that the reader has; all events by default
   */
  events(after?: string): AsyncIterableIterator<RunEvent, undefined> {
    return this.#service.events(this.runId, this.#caller, after);
  }

  /** Returns the current record of the run: its status, its questions, and its output after the end. */
  async view(): Promise<RunView> {
    return await this.#service.get(this.runId, this.#caller);
  }

  /** Answers a question that the run waits for. The first answer counts; a different second answer is `conflict`. */
  async answer(waitId: string, answer: Json): Promise<void> {
    await this.#service.answer(this.runId, waitId, answer, this.#caller);
  }

  /** Cancels the run: see `RunService.cancel`. */
  async cancel(reason?: string): Promise<"cancelled" | "cancelling" | "over"> {
    return await this.#service.cancel(this.runId, this.#caller, reason);
  }

  async #readOutput(): Promise<Output> {
    const { run, view } = await this.#open();
    if (view.endedAt !== undefined) return run.outputOf(view) as Output;
    for await (const event of run.events()) {
      if (event.type === "failure") throw event.error;
      if (event.type === "end") return (await event.readOutput()) as Output;
    }
    // The events have no end only if their client has disconnected. The output is then read from the run's record.
    return run.outputOf(await run.view()) as Output;
  }
}

/**
 * Keeps the process alive until the promise is settled. A script that awaits a run would otherwise end with exit code
 * 13 if only timers of the engine are left, because these never keep a process alive.
 */
async function whileAlive<Value>(promise: Promise<Value>): Promise<Value> {
  const timer = setInterval(() => undefined, longestTimerMs);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
  }
}

/** The maximum delay of a Node timer. */
const longestTimerMs = 2 ** 31 - 1;
