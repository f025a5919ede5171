import { mayFollow } from "./event-order.ts";
import { Grammar } from "./grammar.ts";
import { ToolCalls } from "./tool-calls.ts";
import type { CallEvent } from "./tool-calls.ts";

/** The fields of a run's events that the grammar reads. */
type EventData = {
  readonly type: string;
  readonly step?: string;
  readonly journalStep?: string;
  readonly attempt?: number;
  readonly chunk?: EventData;
  readonly toolCall?: { readonly id: string };
  readonly toolCallId?: string;
};

/** A server-sent event of a run. */
export type RunStreamEvent = { readonly id?: string | undefined; readonly data: EventData };

/** The position after which a client reads the events of a stored run; the stream is then a tail. */
export type RunStreamOptions = { readonly behind?: string | undefined };

const callEvents: Readonly<Record<string, CallEvent>> = {
  tool_call_start: "start",
  tool_call_delta: "delta",
  tool_progress: "progress",
  tool_result: "result",
  tool_call_end: "end",
};

const others = ["text", "thinking", "source", "wait", "call", "done", "finish", "error"];
const ofSteps = ["step_start", "step_retry", "step_end", "chunk"];

/**
 * The grammar of a run's server-sent events: ids that count up, tool calls that start, have one result and end, nested
 * workflow steps, and one final `finish` or `error`.
 */
export class RunStreamGrammar extends Grammar<RunStreamEvent> {
  readonly #isTail: boolean;
  readonly #calls: ToolCalls;
  /** The open workflow steps, with the calls of their agents. */
  readonly #steps = new Map<string, ToolCalls>();
  #last: string | undefined;
  #attempt = 0;
  #hasEvents = false;

  constructor({ behind }: RunStreamOptions = {}) {
    super("stream of a run");
    this.#last = behind;
    this.#isTail = behind !== undefined;
    this.#calls = this.#newCalls();
  }

  /** A client of a stored run may already have received all of its events. */
  override end(): void {
    if (this.#hasEvents) super.end();
  }

  protected override take({ id, data }: RunStreamEvent): void {
    this.#hasEvents = true;
    this.#order(id, data.type);
    if (data.type === "attempt") this.#attemptOf(data);
    else if (data.type === "reset") this.#reset(data.journalStep ?? "");
    else if (ofSteps.includes(data.type)) this.#takeStep(data);
    else this.#takeChunk(data, this.#calls);
    if (data.type === "finish") this.#complete();
    if (data.type === "error") this.finish();
  }

  #order(id: string | undefined, type: string): void {
    // A failure of a stored run's stream is not an event of the run.
    if (id === undefined) return this.check(type === "error" && this.#isKept, "has-id", "the event has no id");
    const isFirst = this.#last === undefined;
    this.check(mayFollow(id, this.#last), "id-order", `its id does not follow ${isFirst ? "none" : this.#last}`);
    this.#last = id;
  }

  get #isKept(): boolean {
    return this.#last?.includes(".") ?? true;
  }

  #attemptOf({ attempt = 0 }: EventData): void {
    this.check(attempt > this.#attempt, "attempt-order", `attempt ${this.#attempt} came before it`);
    this.#attempt = attempt;
  }

  #reset(step: string): void {
    for (const calls of [this.#calls, ...this.#steps.values()]) calls.reset(step);
  }

  #takeChunk(data: EventData, calls: ToolCalls, journalStep = data.journalStep): void {
    const event = callEvents[data.type];
    this.check(event !== undefined || others.includes(data.type), "known-type", "its type is unknown");
    if (event !== undefined) calls.take(event, data.toolCall?.id ?? data.toolCallId ?? "", journalStep);
  }

  #takeStep({ type, step = "", chunk, journalStep }: EventData): void {
    if (type === "step_start") {
      this.check(!this.#steps.has(step), "step-once", `the step ${step} is open already`);
      this.#steps.set(step, this.#newCalls());
      return;
    }
    if (this.#isTail && !this.#steps.has(step)) this.#steps.set(step, this.#newCalls());
    const calls = this.#steps.get(step);
    if (calls === undefined) this.fail("step-open", `the step ${step} is not open`);
    if (type === "chunk" && chunk !== undefined) this.#takeChunk(chunk, calls, journalStep);
    if (type === "step_retry") this.#steps.set(step, this.#newCalls());
    if (type === "step_end") this.#steps.delete(step);
  }

  #complete(): void {
    this.#calls.close();
    this.check(this.#steps.size === 0, "open-steps", `the steps ${[...this.#steps.keys()].join(", ")} have no end`);
    this.finish();
  }

  #newCalls(): ToolCalls {
    return new ToolCalls((claim, rule, problem) => this.check(claim, rule, problem), this.#isTail);
  }
}
