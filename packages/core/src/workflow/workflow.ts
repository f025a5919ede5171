import { TroupeError } from "../errors/troupe-error.ts";
import type { EventBus } from "../events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { RunOpts } from "../run/run-options.ts";
import { performFor, performQuietly } from "./perform.ts";
import { isRecord } from "./state-form.ts";
import { settle } from "./settle.ts";
import type { ValueKind } from "./state-form.ts";
import type { WorkflowConfig } from "./workflow-config.ts";
import { requireOptions, WorkflowParts } from "./workflow-parts.ts";
import type { Opening } from "./workflow-parts.ts";
import type { WorkflowResult } from "./workflow-result.ts";
import { readOpening, WorkflowRunnable } from "./workflow-runnable.ts";
import { createWorkflowStream, StepFeed } from "./workflow-stream.ts";
import type { WorkflowStream } from "./workflow-stream.ts";

/** What a caller may say about one run of a workflow. */
export type WorkflowRunOpts<State> = RunOpts & {
  /** Merged over the initial state: keys that it has, with values of the kind that it has there. */
  input?: Partial<State>;
};

/** Steps in order over a state: agents, functions, conditions, and steps side by side. */
export class Workflow<State extends object> {
  readonly #parts: WorkflowParts;

  constructor(config: WorkflowConfig<State>) {
    this.#parts = new WorkflowParts(config as unknown as WorkflowConfig<object>);
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

  /** The keys of the state that an input may set, each with the kind of value that it takes. */
  get inputKinds(): ReadonlyMap<string, ValueKind> {
    return this.#parts.inputKinds;
  }

  /** Takes all steps. A run that fails rejects with a `WorkflowError` that carries the state until then. */
  async run(opts: WorkflowRunOpts<State> = {}): Promise<WorkflowResult<State>> {
    const { opening, runOpts } = readOpts(opts);
    return await settle<State>(this.#parts.open(opening, runOpts, performQuietly));
  }

  /** Takes all steps while somebody reads what happens in them. Wrong options are refused here and now. */
  stream(opts: WorkflowRunOpts<State> = {}): WorkflowStream<State> {
    const { opening, runOpts } = readOpts(opts);
    const feed = new StepFeed();
    const opened = this.#parts.open(opening, runOpts, performFor(feed));
    return createWorkflowStream({ execution: opened.execution, feed, run: () => settle<State>(opened) });
  }

  /** The workflow as an agent is seen: it takes a text or an object, and gives the last text. */
  asRunnable(): WorkflowRunnable<State> {
    return new WorkflowRunnable(this.#parts);
  }
}

function readOpts(opts: RunOpts & { input?: unknown }): { opening: Opening; runOpts: RunOpts } {
  requireOptions(opts);
  const { input, ...runOpts } = opts;
  if (input === undefined) return { opening: { said: "" }, runOpts };
  if (isRecord(input)) return { opening: readOpening(input), runOpts };
  throw new TroupeError(
    "invalid_request",
    "input must be an object that is merged over the initial state (of a text: asRunnable).",
  );
}
