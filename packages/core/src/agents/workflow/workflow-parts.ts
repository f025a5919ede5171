import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { EventBus } from "../../base/events/event-bus.ts";
import type { ApiKeys } from "../../model/keys/api-keys.ts";
import { keyHeaderOf } from "../../model/keys/key-headers.ts";
import { providersOf } from "../../model/keys/providers-of.ts";
import { bindGenericKey } from "../../model/keys/select-key.ts";
import { createRunnableLogger } from "../../base/log/runnable-logger.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { Telemetry } from "../../base/telemetry/telemetry.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { createRunEventBus } from "../run/run-event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { RunExecution } from "../run/run-execution.ts";
import type { RunLimits, RunOpts } from "../run/run-options.ts";
import { Run } from "../run/run.ts";
import { callEndHook, prepareInput } from "../agent/hooks.ts";
import type { RunHooks } from "../agent/hooks.ts";
import type { PlannedWorkflowRun, WorkflowPlan, WorkflowRunner } from "./run-workflow.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { JsonSchema } from "../../schema/object-schema.ts";
import { InputCheck } from "./input-check.ts";
import { StateShape } from "./state-shape.ts";
import type { StateRecord, StateValueKind } from "./state-shape.ts";
import { StepTrace } from "./step-trace.ts";
import { runnableOf, waitingStepIn, walkSteps } from "./checked-step.ts";
import { readSteps } from "./steps.ts";
import { mayReadText } from "./text-readers.ts";
import type { CheckedStep } from "./checked-step.ts";
import { checkWorkflowConfig } from "./workflow-config.ts";
import type { RetryPolicy, WorkflowConfig } from "./workflow-config.ts";
import { cannotWait } from "./wait-step.ts";
import type { PlannedStep } from "./planned-step.ts";

/**
 * The input of a workflow run, classified by `parseWorkflowInput`: a message for the first agent step, or an object
 * that is merged over the initial state. Empty for a run without input.
 */
export type ParsedWorkflowInput =
  | { readonly message: MessageContent }
  | { readonly input: object }
  | Record<string, never>;

/**
 * The name, steps, state shape, limits and event bus of a workflow, made from its configuration, which is checked here.
 * `Workflow` and `WorkflowRunnable` share them to plan their runs.
 */
export class WorkflowParts {
  readonly name: string;
  readonly description: string | undefined;
  readonly eventBus: EventBus<RunEvents>;
  /** The vendors of the workflow's agents. */
  readonly providerIds: readonly string[];
  /** True if a step may read a run's text input. */
  readonly readsText: boolean;
  /** The name of the first step that waits for an answer or an event, so that only a `RunService` runs the workflow. */
  readonly waitingStep: string | undefined;
  readonly #steps: readonly CheckedStep[];
  readonly #shape: StateShape;
  readonly #inputCheck: InputCheck | undefined;
  readonly #retryPolicy: RetryPolicy | undefined;
  readonly #limits: RunLimits | undefined;
  readonly #telemetry: Telemetry | undefined;
  readonly #hooks: RunHooks | undefined;
  readonly #logger: Logger | undefined;
  #plannedSteps: readonly PlannedStep[] | undefined;

  constructor(config: WorkflowConfig<object>) {
    checkWorkflowConfig(config);
    const { name, description, initialState, inputSchema, steps, retryPolicy, eventBus, limits, telemetry, hooks } =
      config;
    this.name = name;
    this.description = description;
    this.#shape = new StateShape(initialState);
    this.#inputCheck = inputSchema === undefined ? undefined : new InputCheck(inputSchema);
    this.#steps = readSteps(steps);
    this.readsText = mayReadText(this.#steps);
    this.waitingStep = waitingStepIn(this.#steps);
    this.#retryPolicy = retryPolicy && { ...retryPolicy };
    this.#limits = limits && { ...limits };
    this.#telemetry = telemetry;
    this.#hooks = hooks;
    this.#logger = createRunnableLogger(name, config);
    this.eventBus = eventBus ?? createRunEventBus(this.#logger);
    this.providerIds = providersOfSteps(this.#steps);
  }

  /** The keys that an input may set, each with the kind of its value. */
  get inputKinds(): ReadonlyMap<string, StateValueKind> {
    return this.#shape.kinds;
  }

  /** The JSON Schema of an input object, if the workflow declares one. */
  get inputSchema(): JsonSchema | undefined {
    return this.#inputCheck?.jsonSchema;
  }

  /** A copy of the state at the start of a run without input. */
  get initialState(): StateRecord {
    return this.#shape.start();
  }

  /** All steps in the order of the configuration. Nested steps follow their enclosing step. */
  get plannedSteps(): readonly PlannedStep[] {
    return (this.#plannedSteps ??= [...listSteps(this.#steps)]);
  }

  /**
   * Throws `invalid_request` for a text that no step reads. Only the workflow's runnable accepts such a text, as a
   * signal to start.
   */
  checkText(start: ParsedWorkflowInput): void {
    if (!("message" in start) || this.readsText) return;
    throw new TroupeError(
      "invalid_request",
      `No step of the workflow ${JSON.stringify(this.name)} reads a text. Send input as an object with keys of its state.`,
    );
  }

  /** Plans a run of the workflow. Throws for wrong options and wrong input immediately. */
  plan(start: ParsedWorkflowInput, opts: RunOpts, runner: WorkflowRunner): PlannedWorkflowRun {
    requireOptionsObject(opts);
    refuseMessages(opts);
    refuseAgentOptions(opts);
    const { message, input } = start as { message?: MessageContent; input?: object };
    const plan: WorkflowPlan = {
      steps: this.#steps,
      retryPolicy: this.#retryPolicy,
      start: this.#shape.start(message === undefined ? this.#checked(input) : undefined),
      message,
      trace: new StepTrace(),
    };
    const run = new Run<StateRecord>({
      name: this.name,
      input: message ?? (input === undefined ? "" : JSON.stringify(input)),
      settings: resolveRunOpts(opts, {
        limits: this.#limits,
        providerId: vendorOfKey(this.providerIds, opts.apiKey),
        telemetry: this.#telemetry,
      }),
      eventBus: this.eventBus,
      logger: this.#logger,
    });
    const hooks = this.#hooks;
    const waits = this.waitingStep;
    const begin = async () => {
      if (waits !== undefined && run.steps.durable === undefined) throw cannotWait(waits);
      const before = run.input;
      await prepareInput(hooks, run);
      return runner(run, run.input === before ? plan : { ...plan, message: run.input });
    };
    const execution = new RunExecution(run, {
      kind: "workflow",
      begin: hooks?.beforeRun === undefined && waits === undefined ? () => Promise.resolve(runner(run, plan)) : begin,
      onEnd: (end) => callEndHook(hooks, run.context, end),
    });
    return { execution, plan };
  }

  /**
   * Returns the input as the schema returns it, with defaults. Throws `invalid_request` if it does not fit the schema.
   */
  #checked(input: object | undefined): unknown {
    return this.#inputCheck === undefined ? input : this.#inputCheck.check(input ?? {});
  }
}

/** Throws `invalid_request` if the options of a workflow run are not an object. */
export function requireOptionsObject(opts: unknown): void {
  if (!isRecord(opts)) throw new TroupeError("invalid_request", "The run options must be an object.");
}

function refuseMessages({ messages }: RunOpts): void {
  if (messages === undefined) return;
  throw new TroupeError(
    "invalid_request",
    "A workflow has no conversation: messages must be left out. Give them to an agent or a team.",
  );
}

/** Throws for run options that replace the options of a single agent, because a workflow may have several agents. */
function refuseAgentOptions({ model, instructions, tools, additions }: RunOpts): void {
  const given = Object.entries({ model, instructions, tools, additions }).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw new TroupeError(
    "invalid_request",
    `${given[0]} must be left out of a run of a workflow, which may have several agents. Give it to the agent of a step.`,
  );
}

/** Returns the vendors of the agents in the steps. A runnable without a vendor is skipped. */
function providersOfSteps(steps: readonly CheckedStep[]): string[] {
  const providers = new Set<string>();
  for (const step of walkSteps(steps)) {
    for (const provider of providersOf(runnableOf(step))) providers.add(provider);
  }
  return [...providers];
}

/**
 * Returns the vendor that a generic API key is bound to. Throws `invalid_request` if a key is given and the workflow's
 * agents have several vendors.
 */
function vendorOfKey(providers: readonly string[], apiKey: string | undefined): string | undefined {
  const bind = (keys: ApiKeys, provider: string) => bindGenericKey(keys, apiKey, provider);
  const vendors = Object.keys(providers.reduce(bind, {}));
  if (vendors.length <= 1) return providers[0];
  const ways = `apiKeys or the headers ${vendors.map(keyHeaderOf).join(", ")}`;
  throw new TroupeError(
    "invalid_request",
    `apiKey could be for any of ${vendors.join(", ")}: the agents of this workflow have several vendors. Send a key per vendor, in ${ways}.`,
  );
}

function plannedOf(step: CheckedStep): PlannedStep {
  const { name, kind } = step;
  const agent = runnableOf(step);
  const work = step.kind === "forEach" ? step.work : step;
  const effect = work.kind === "function" ? work.effect : undefined;
  return { name, kind, ...(agent !== undefined && { agent }), ...(effect !== undefined && { effect }) };
}

/** Yields each step as `plannedSteps` lists it, followed by its nested steps. */
function* listSteps(
  steps: readonly CheckedStep[],
  place: Pick<PlannedStep, "within" | "case"> = {},
): Generator<PlannedStep> {
  for (const step of steps) {
    yield { ...plannedOf(step), ...place };
    const within = step.name;
    if (step.kind !== "choose") {
      if ("steps" in step) yield* listSteps(step.steps, { within });
      continue;
    }
    for (const [key, chosen] of step.cases) yield* listSteps(chosen, { within, case: key });
    yield* listSteps(step.otherwise ?? [], { within });
  }
}
