import { TroupeError } from "../errors/troupe-error.ts";
import { EventBus } from "../events/event-bus.ts";
import { createLogger } from "../log/logger.ts";
import type { Logger } from "../log/logger.ts";
import type { MessageContent } from "../message/content.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import { readRunOpts } from "../run/read-run-opts.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunLimits, RunOpts } from "../run/run-options.ts";
import { Run } from "../run/run.ts";
import { checkWorkflowConfig } from "./check-workflow-config.ts";
import { keyProvider, providersOf } from "./key-provider.ts";
import type { Performance } from "./perform.ts";
import { readSteps } from "./read-steps.ts";
import { isRecord, StateForm } from "./state-form.ts";
import type { StateRecord, ValueKind } from "./state-form.ts";
import { StepTrace } from "./step-trace.ts";
import { everyStep } from "./step.ts";
import type { Step } from "./step.ts";
import type { RetryPolicy, WorkflowConfig } from "./workflow-config.ts";

/** How a run's steps are performed, and what of it streams. */
type Play = (run: Run<StateRecord>, performance: Performance) => AsyncGenerator<StreamChunk, FinishReason>;

/** What a run begins with: what is said first, and what is merged over the initial state. */
export type Opening = { readonly said: MessageContent; readonly input?: unknown };

/** A run that has not begun, and what will be performed in it. */
export type OpenedRun = { readonly execution: RunExecution<StateRecord>; readonly performance: Performance };

/** What a workflow is made of, once its configuration has been read. */
export class WorkflowParts {
  readonly name: string;
  readonly description: string | undefined;
  readonly eventBus: EventBus<RunEvents>;
  /** The vendors of its agents. */
  readonly providerIds: readonly string[];
  readonly #steps: readonly Step[];
  readonly #form: StateForm;
  readonly #retryPolicy: RetryPolicy | undefined;
  readonly #limits: RunLimits | undefined;
  readonly #logger: Logger;

  constructor(config: WorkflowConfig<object>) {
    checkWorkflowConfig(config);
    const { name, description, initialState, steps, retryPolicy, eventBus, logLevel = "silent", limits } = config;
    this.name = name;
    this.description = description;
    this.#form = new StateForm(initialState);
    this.#steps = readSteps(steps);
    checkAnswers(this.#steps, this.#form);
    this.#retryPolicy = retryPolicy && { ...retryPolicy };
    this.#limits = limits && { ...limits };
    this.#logger = createLogger({ level: logLevel, prefix: name });
    this.eventBus = eventBus ?? createBus(this.#logger);
    this.providerIds = providersOf(this.#steps);
  }

  /** What an input may set, and to what kind of value. */
  get inputKinds(): ReadonlyMap<string, ValueKind> {
    return this.#form.kinds;
  }

  /** Makes a run; wrong options and a wrong input are refused here and now. */
  open({ said, input }: Opening, opts: RunOpts, play: Play): OpenedRun {
    requireOptions(opts);
    const start = this.#form.start(input);
    const performance: Performance = {
      steps: this.#steps,
      form: this.#form,
      retryPolicy: this.#retryPolicy,
      start,
      trace: new StepTrace(),
    };
    const run = new Run<StateRecord>({
      name: this.name,
      input: said,
      settings: readRunOpts(opts, { limits: this.#limits, providerId: keyProvider(this.providerIds, opts.apiKey) }),
      eventBus: this.eventBus,
      logger: this.#logger,
    });
    const execution = new RunExecution(run, { begin: () => Promise.resolve(play(run, performance)) });
    return { execution, performance };
  }
}

/** Refuses options that are no object. */
export function requireOptions(opts: unknown): void {
  if (!isRecord(opts)) throw new TroupeError("invalid_request", "The run options must be an object.");
}

/** An answer is a text or what a schema describes: it never fits where a number or a flag stands. */
function checkAnswers(steps: readonly Step[], form: StateForm): void {
  for (const { kind, name } of everyStep(steps)) {
    const place = form.kindAt(name);
    if (kind !== "agent" || (place !== "number" && place !== "boolean")) continue;
    const sentence = `initialState.${name} is a ${place}, and the answer of the agent step ${JSON.stringify(name)} would take its place`;
    throw new TroupeError("invalid_config", `${sentence}: give the step or the key another name.`);
  }
}

function createBus(logger: Logger): EventBus<RunEvents> {
  return new EventBus<RunEvents>({
    onHandlerError: (error, event) => logger.error("A handler of an event failed.", { event, error }),
  });
}
