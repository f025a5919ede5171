import { TroupeError } from "../errors/troupe-error.ts";
import { getTextContent } from "../message/content.ts";
import type { MessageContent } from "../message/content.ts";
import type { StreamChunk } from "../model/stream-chunk.ts";
import { contextWithin } from "../run/run.ts";
import type { Run } from "../run/run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import { askAgent, inputOf, textUntil } from "./ask-agent.ts";
import { attemptStep, stepError } from "./attempt-step.ts";
import type { Attempts } from "./attempt-step.ts";
import type { Audience } from "./audience.ts";
import { addChange, changeByAnswer, changeByFunction, mergeChanges, noChange } from "./change.ts";
import type { Change } from "./change.ts";
import { runSideBySide } from "./run-side-by-side.ts";
import { copyState } from "./state-form.ts";
import type { StateForm, StateRecord } from "./state-form.ts";
import type { StepTrace } from "./step-trace.ts";
import type { Step } from "./step.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import type { StepContext } from "./workflow-step.ts";

/** What the steps of one run have in common. */
export type StepPlan = {
  readonly form: StateForm;
  readonly retryPolicy: RetryPolicy | undefined;
  readonly trace: StepTrace;
  readonly audience: Audience;
  readonly run: Run<StateRecord>;
};

/** Where a step stands. */
export type Place = {
  /** What it finds: the state, and what was said last. */
  readonly found: { readonly state: StateRecord; readonly said: MessageContent };
  readonly signal: AbortSignal;
  /** Takes what has changed so far, as seen from here. Within parallel steps nothing counts before all are done. */
  readonly note: (change: Change) => void;
};

type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;
/** One attempt at a step: its context, and the meter that counts what its child runs use. */
type Attempt = { readonly context: StepContext; readonly meter: UsageMeter };
type Work<Result> = (attempt: Attempt) => Result | Promise<Result>;

/** Takes the steps of one run. */
export class StepRunner {
  readonly #plan: StepPlan;

  constructor(plan: StepPlan) {
    this.#plan = plan;
  }

  /** One step after the other; each finds what those before it have changed. */
  async runAll(steps: readonly Step[], place: Place): Promise<Change> {
    let change = noChange;
    for (const step of steps) {
      change = addChange(change, await this.#runOne(step, placeAfter(place, change)));
      place.note(change);
    }
    return change;
  }

  async #runOne(step: Step, place: Place): Promise<Change> {
    place.signal.throwIfAborted();
    const { trace, audience } = this.#plan;
    const { name } = step;
    const entry = trace.begin(name);
    await audience.tell({ type: "step_start", step: name });
    try {
      const change = await this.#do(step, place);
      const end = entry.end(change === undefined ? "skipped" : "completed");
      await audience.tell({ type: "step_end", step: name, ...end });
      return change ?? noChange;
    } catch (error) {
      const end = entry.end(place.signal.aborted ? "cancelled" : "error", error);
      // Not waited for: what runs beside this step is to be ended at once, however slowly somebody reads.
      void audience.tell({ type: "step_end", step: name, ...end });
      throw error;
    }
  }

  /** What the step changes; nothing at all when it is skipped. */
  async #do(step: Step, place: Place): Promise<Change | undefined> {
    switch (step.kind) {
      case "agent":
        return await this.#ask(step, place);
      case "function":
        return await this.#call(step, place);
      case "condition":
        return (await this.#holds(step, place)) ? await this.runAll(step.steps, place) : undefined;
      default:
        return await this.#runParallel(step, place);
    }
  }

  async #ask(step: StepOf<"agent">, place: Place): Promise<Change> {
    const { audience, form } = this.#plan;
    const { name, agent } = step;
    let hasSpoken = false;
    const relay = async (chunk: StreamChunk): Promise<void> => {
      hasSpoken = true;
      await audience.tell({ type: "chunk", step: name, chunk });
    };
    const work: Work<Change> = async (attempt) => {
      const question = { agent, name, ...attempt, relay: audience.hears(name) ? relay : undefined };
      try {
        return changeByAnswer(await askAgent({ ...question, input: inputOf(step, place.found) }), name, form);
      } catch (error) {
        const text = textUntil(error);
        if (text !== "") place.note({ partial: {}, text });
        throw error;
      }
    };
    return await this.#attempt(name, place, { work, mayRepeat: () => audience.forgets || !hasSpoken });
  }

  async #call({ name, run }: StepOf<"function">, place: Place): Promise<Change> {
    const work: Work<Change> = async ({ context }) =>
      changeByFunction(await run(copyState(place.found.state), context));
    return await this.#attempt(name, place, { work });
  }

  async #holds({ name, condition }: StepOf<"condition">, place: Place): Promise<boolean> {
    const work: Work<boolean> = () => {
      const holds: unknown = condition(copyState(place.found.state));
      if (typeof holds === "boolean") return holds;
      throw new TroupeError("invalid_value", "condition must return true or false, and not a promise.");
    };
    return await this.#attempt(name, place, { work });
  }

  async #runParallel({ name, steps }: StepOf<"parallel">, { found, signal: outer }: Place): Promise<Change> {
    const note = () => undefined;
    const changes = await runSideBySide(steps, outer, (step, signal) => this.#runOne(step, { found, signal, note }));
    const names = steps.map((step) => step.name);
    try {
      return mergeChanges(changes, names);
    } catch (error) {
      throw stepError(name, error);
    }
  }

  async #attempt<Result>(
    name: string,
    { signal, found }: Place,
    { work, mayRepeat }: Pick<Attempts<Result>, "mayRepeat"> & { work: Work<Result> },
  ): Promise<Result> {
    const { retryPolicy: policy, run, audience } = this.#plan;
    const text = getTextContent(found.said);
    return await attemptStep({
      name,
      policy,
      signal,
      mayRepeat,
      onRepeat: () => audience.tell({ type: "step_retry", step: name }),
      work: () => work(attemptWithin(run, { name, signal, text })),
    });
  }
}

function placeAfter({ found, signal, note }: Place, change: Change): Place {
  return {
    found: { state: { ...found.state, ...change.partial }, said: change.text ?? found.said },
    signal,
    note: (more) => note(addChange(change, more)),
  };
}

/** Each attempt has a context of its own: keys, user and limits are the run's, and so is the usage in the end. */
function attemptWithin(run: Run, { name, signal, text }: { name: string; signal: AbortSignal; text: string }): Attempt {
  const meter = new UsageMeter({ parent: run.meter });
  const facts = { signal, text, idempotencyKey: `${run.runId}/${name}`, logger: run.logger.child({ step: name }) };
  return { context: contextWithin(run.context, facts, { meter }), meter };
}
