import { setTimeout as sleep } from "node:timers/promises";
import type { RunWait, StreamChunk } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { toTroupeError } from "@troupe/core/kit";
import { EventStream, toStoredError } from "@troupe/core/transport";
import type { ServedWorkflow } from "@troupe/core/service";
import type { Exchange, FailedRun, ServedStoredRun } from "@troupe/core/transport";
import { EventWriter } from "./event-writer.ts";
import type { AgUiEvent } from "./ag-ui-event.ts";
import type { AgUiRequest } from "./read-request.ts";
import { StateDeltas } from "./state-deltas.ts";

/** Milliseconds between two checks of a run that may be about to wait: the first interval and the longest. */
const looks = { firstMs: 5, lastMs: 1000 };

/** Options of {@link sendRun}. */
export type SendOptions = {
  readonly request: AgUiRequest;
  readonly heartbeatMs: number;
  readonly own: FailedRun;
  /** The workflow that runs. */
  readonly workflow?: ServedWorkflow | undefined;
  /** The state with which a workflow's run begins. */
  readonly state?: object | undefined;
  /** For a request that continues a run: the number of attempts whose events the client has already received. */
  readonly behind?: number | undefined;
  /**
   * For a request whose answers the run already has: the ids of its questions, whose events the client has received.
   */
  readonly answered?: ReadonlySet<string> | undefined;
};

/** Sends the events of a run as AG-UI events, until the run ends or waits for an answer. */
export async function sendRun(exchange: Exchange, run: ServedStoredRun, options: SendOptions): Promise<void> {
  exchange.record.runId = run.runId;
  exchange.setHeader("X-AG-UI-Run-Id", run.runId).setHeader("X-Session-Id", run.sessionId);
  const stopWatching = exchange.onLeave(() => run.disconnect());
  try {
    run.follow();
    await new RunSender(exchange, run, options).send();
  } finally {
    stopWatching();
    run.end();
  }
}

class RunSender {
  readonly #exchange: Exchange;
  readonly #run: ServedStoredRun;
  readonly #options: SendOptions;
  readonly #stream: EventStream;
  readonly #writer: EventWriter;
  readonly #state: StateDeltas;
  #events: AgUiEvent[] = [];
  /** True while the events are skipped, because the client received them before it answered. */
  #isSilent: boolean;
  #attempt = 0;
  /** The last attempt whose events the client has already received. */
  #behind: number;
  #lastId: string | undefined;

  constructor(exchange: Exchange, run: ServedStoredRun, options: SendOptions) {
    const { request, heartbeatMs, behind, answered } = options;
    this.#exchange = exchange;
    this.#run = run;
    this.#options = options;
    this.#state = new StateDeltas(options.workflow);
    this.#isSilent = behind !== undefined || answered !== undefined;
    this.#behind = behind ?? (answered === undefined ? 0 : Infinity);
    this.#stream = new EventStream(exchange, { heartbeatMs, signal: run.signal });
    const { runId, kind } = run;
    this.#writer = new EventWriter({ request, runId, isTeam: kind === "team" }, (event) => this.#events.push(event));
  }

  async send(): Promise<void> {
    // Each response begins with a start event, even if it continues a run of an earlier response.
    this.#writer.begin(this.#isSilent ? undefined : this.#options.state);
    for (const event of this.#events.splice(0)) void this.#stream.send(event, null);
    try {
      await this.#sendEvents();
    } catch (thrown) {
      const error = toTroupeError(thrown);
      this.#exchange.logFailure(error, this.#options.own);
      this.#speak();
      this.#writer.fail(error);
      await this.#flush();
    }
    this.#stream.close();
  }

  async #sendEvents(): Promise<void> {
    for (;;) {
      const event = await this.#run.next();
      if (event === undefined) return;
      if (event.type === "end") return await this.#end(event);
      await this.#take(event);
      const waits = event.type === "wait" && !this.#isSilent ? await this.#untilResting() : undefined;
      if (waits !== undefined) return await this.#pause(waits);
    }
  }

  async #take(event: RunEvent): Promise<void> {
    this.#lastId = event.id;
    if (event.type === "attempt") this.#begin(event.attempt);
    if (event.type === "wait") this.#takeWait(event.wait);
    if (event.type === "chunk") this.#takeChunk(event);
    if (event.type === "reset") this.#writer.reset(event.step);
    this.#writer.changeState(this.#state.take(event));
    await this.#flush();
  }

  #takeWait(wait: RunWait): void {
    if (this.#options.answered?.has(wait.id) === true) this.#behind = this.#attempt;
    this.#writer.takeWait(wait);
  }

  #takeChunk({ step, chunk }: Extract<RunEvent, { type: "chunk" }>): void {
    this.#writer.enter(step);
    if (this.#run.kind === "workflow") this.#writer.takeWorkflowEvent(chunk as never);
    else this.#writer.takeChunk(chunk as StreamChunk);
  }

  #begin(attempt: number): void {
    this.#attempt = attempt;
    if (attempt > this.#behind) this.#speak();
  }

  /** Stops skipping events. The client has already received the earlier events. */
  #speak(): void {
    if (!this.#isSilent) return;
    // The previous response has already ended its messages, tool calls and steps.
    this.#writer.leave();
    this.#events = [];
    this.#isSilent = false;
  }

  async #flush(): Promise<void> {
    for (const event of this.#events.splice(0)) {
      const drained = this.#isSilent ? undefined : this.#stream.send(event, null);
      if (drained !== undefined) await drained;
    }
  }

  async #pause(waits: readonly RunWait[]): Promise<void> {
    const { service, runId, caller } = this.#run;
    for await (const event of service.storedEvents(runId, caller, this.#lastId)) {
      if (event.type !== "end") await this.#take(event);
    }
    this.#writer.pause(waits);
    await this.#flush();
  }

  async #end({ output, error }: Extract<RunEvent, { type: "end" }>): Promise<void> {
    this.#speak();
    if (error !== undefined) this.#writer.fail(toStoredError(error, this.#run.runId, output));
    else {
      const { usage, state } = Object(output) as { usage?: never; state?: unknown };
      this.#writer.finish({ usage, ...(this.#run.kind === "workflow" && { state }) });
    }
    await this.#flush();
  }

  /**
   * Waits until the run's record shows if the run is waiting, and returns its questions. Undefined if the run
   * continues, or the client has disconnected.
   */
  async #untilResting(): Promise<readonly RunWait[] | undefined> {
    const { signal } = this.#run;
    for (let ms = looks.firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      const { status, attempts, waits = [] } = await this.#run.view();
      const isWaiting = status === "waiting" && attempts <= this.#attempt;
      if (isWaiting && waits.every(goesOnByItself)) return undefined;
      if (isWaiting) return waits.filter((wait) => !goesOnByItself(wait));
      if (attempts > this.#attempt || (status !== "running" && status !== "queued")) return undefined;
      await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
    }
    return undefined;
  }
}

/** Returns true for a wait that needs no answer of the client: the run goes on at a time, or with an event. */
function goesOnByItself({ kind }: RunWait): boolean {
  return kind === "sleep" || kind === "event";
}
