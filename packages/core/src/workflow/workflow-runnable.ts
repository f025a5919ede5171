import { TroupeError } from "../errors/troupe-error.ts";
import type { EventBus } from "../events/event-bus.ts";
import { checkContent } from "../run/check-content.ts";
import type { MessageContent } from "../message/content.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { RunOpts } from "../run/run-options.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Runnable, RunStream } from "../run/runnable.ts";
import { performQuietly } from "./perform.ts";
import { speak } from "./speak.ts";
import { isRecord } from "./state-form.ts";
import type { StateRecord } from "./state-form.ts";
import type { Opening, WorkflowParts } from "./workflow-parts.ts";

/** What a workflow that is run like an agent is given: something said, or a part of the state. */
export type WorkflowInput<State> = MessageContent | Partial<State>;

/** A workflow as anything else that runs: its answer is the last text, and `structured` is the state at the end. */
export class WorkflowRunnable<State extends object> implements Runnable<State> {
  readonly #parts: WorkflowParts;

  constructor(parts: WorkflowParts) {
    this.#parts = parts;
  }

  get kind(): "workflow" {
    return "workflow";
  }

  get name(): string {
    return this.#parts.name;
  }

  get description(): string | undefined {
    return this.#parts.description;
  }

  get eventBus(): EventBus<RunEvents> {
    return this.#parts.eventBus;
  }

  /** The vendors of its agents. */
  get providerIds(): readonly string[] {
    return this.#parts.providerIds;
  }

  /** Takes all steps and gives the last text. */
  async run(input: WorkflowInput<State>, opts: RunOpts = {}): Promise<RunOutput<State>> {
    const { execution } = this.#parts.open(readOpening(input), opts, performQuietly);
    return await typed<State>(execution).run();
  }

  /** Streams what the last agent step says. Wrong options are refused here and now. */
  stream(input: WorkflowInput<State>, opts: RunOpts = {}): RunStream<State> {
    return typed<State>(this.#parts.open(readOpening(input), opts, speak).execution);
  }
}

/** The start of a run: an object is merged into the state, and said as JSON. */
export function readOpening(input: unknown): Opening {
  if (!isRecord(input)) return { said: checkContent(input) };
  return { said: toText(input), input };
}

function toText(input: object): string {
  try {
    return JSON.stringify(input);
  } catch {
    throw new TroupeError("invalid_request", "input must be plain JSON.");
  }
}

/** What the steps make of the state has its type: functions are checked by the compiler, inputs when they come. */
function typed<State>(execution: RunExecution<StateRecord>): RunExecution<State> {
  return execution as RunExecution<unknown> as RunExecution<State>;
}
