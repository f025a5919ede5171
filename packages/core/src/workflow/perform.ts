import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { Run } from "../run/run.ts";
import { nobody } from "./audience.ts";
import type { Audience } from "./audience.ts";
import type { Change } from "./change.ts";
import type { StateForm, StateRecord } from "./state-form.ts";
import { StepRunner } from "./step-runner.ts";
import type { StepTrace } from "./step-trace.ts";
import type { Step } from "./step.ts";
import type { RetryPolicy } from "./workflow-config.ts";

/** What is performed in one run. */
export type Performance = {
  readonly steps: readonly Step[];
  readonly form: StateForm;
  readonly retryPolicy: RetryPolicy | undefined;
  /** The state that the run starts from. */
  readonly start: StateRecord;
  readonly trace: StepTrace;
};

/**
 * Takes all steps, and keeps the run's record up to date with the state and with what was said last. A workflow in which
 * nobody spoke says its state.
 */
export async function perform(run: Run<StateRecord>, performance: Performance, audience: Audience): Promise<void> {
  const { steps, start, form, retryPolicy, trace } = performance;
  const { signal, input: said } = run;
  run.structured = start;
  const note = ({ partial, text }: Change): void => {
    run.structured = { ...start, ...partial };
    run.text = text ?? run.text;
  };
  const runner = new StepRunner({ form, retryPolicy, trace, audience, run });
  const { text } = await runner.runAll(steps, { found: { state: start, said }, signal, note });
  run.text = text ?? JSON.stringify(run.structured);
}

/** Performs for an audience that is told of the steps; the run itself streams nothing. */
export function performFor(audience: Audience) {
  // oxlint-disable-next-line require-yield -- it has the form of what streams, and nothing to stream
  return async function* (run: Run<StateRecord>, performance: Performance): AsyncGenerator<StreamChunk, FinishReason> {
    await perform(run, performance, audience);
    return "stop";
  };
}

/** Performs, and tells nobody of the steps. */
export const performQuietly = performFor(nobody);
