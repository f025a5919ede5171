import { AsyncQueue } from "../async/async-queue.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { RunError } from "../run/run-error.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { RunOutput } from "../run/run-output.ts";
import type { Run } from "../run/run.ts";
import type { StateChange } from "./state-change.ts";
import type { StateRecord, StateShape } from "./state-shape.ts";
import { StepRunner } from "./step-runner.ts";
import type { StepObserver } from "./step-runner.ts";
import type { StepTrace } from "./step-trace.ts";
import { everyStep } from "./steps.ts";
import type { Step } from "./steps.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import { WorkflowError } from "./workflow-result.ts";
import type { WorkflowResult } from "./workflow-result.ts";

/** All that one run of a workflow needs. */
export type WorkflowPlan = {
  readonly steps: readonly Step[];
  readonly shape: StateShape;
  readonly retryPolicy: RetryPolicy | undefined;
  /** The first state of the run. */
  readonly start: StateRecord;
  readonly trace: StepTrace;
};

/** Runs a workflow: yields all chunks but `finish`, and returns the finish reason. */
export type WorkflowRunner = (run: Run<StateRecord>, plan: WorkflowPlan) => AsyncGenerator<StreamChunk, FinishReason>;

/** A run that has not begun, and its plan. */
export type PlannedRun = { readonly execution: RunExecution<StateRecord>; readonly plan: WorkflowPlan };

const noObserver: StepObserver = { wantsChunks: () => false, allowsRepeat: true, onEvent: () => undefined };

/** Runs the steps without a stream. */
export const runWhole = runObserved(noObserver);

/** Runs the steps for an observer. The run itself streams nothing. */
export function runObserved(observer: StepObserver): WorkflowRunner {
  // oxlint-disable-next-line require-yield -- a WorkflowRunner without chunks
  return async function* (run, plan) {
    await runSteps(run, plan, observer);
    return "stop";
  };
}

/**
 * Runs the steps and streams the last agent step, whose text is the answer of the workflow. When that step does not run,
 * the answer is streamed as one chunk at the end.
 */
export const runStreaming: WorkflowRunner = async function* (run, plan) {
  const chunks = new AsyncQueue<StreamChunk>();
  const end = runSteps(run, plan, lastAgentObserver(plan, chunks)).finally(() => chunks.close());
  end.catch(() => undefined);
  let finishReason: FinishReason = "stop";
  let text = "";
  for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
    if (chunk.type === "finish") {
      finishReason = chunk.finishReason;
      continue;
    }
    run.noteToken();
    if (chunk.type === "text") run.text = text += chunk.text;
    yield chunk;
  }
  await end;
  if (text === "") yield { type: "text", text: run.text };
  return finishReason;
};

/** Runs to the end and returns the workflow's result; a failure becomes a `WorkflowError`. */
export async function toWorkflowResult<State>({ execution, plan }: PlannedRun): Promise<WorkflowResult<State>> {
  const toResult = <Value>({ status, structured, usage, durationMs }: RunOutput): WorkflowResult<Value> => ({
    runId: execution.runId,
    status: status ?? "error",
    state: (structured ?? plan.start) as Value,
    steps: plan.trace.toResults(plan.steps),
    usage,
    durationMs: durationMs ?? 0,
  });
  try {
    return toResult<State>(await execution.run());
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    const { code, message, fields, cause, output } = error;
    throw new WorkflowError(code, message, { fields, cause, output, result: toResult(output) });
  }
}

/**
 * Runs all steps, and keeps the run's record up to date with the state and the last text. The text of a workflow without
 * an agent's answer is its state as JSON.
 */
async function runSteps(run: Run<StateRecord>, plan: WorkflowPlan, observer: StepObserver): Promise<void> {
  const { steps, start, shape, retryPolicy, trace } = plan;
  const { signal, input: message } = run;
  run.structured = start;
  const onChange = ({ partial, text }: StateChange): void => {
    run.structured = { ...start, ...partial };
    run.text = text ?? run.text;
  };
  const runner = new StepRunner({ shape, retryPolicy, trace, observer, run });
  const { text } = await runner.runAll(steps, { before: { state: start, message }, signal, onChange });
  run.text = text ?? JSON.stringify(run.structured);
}

function lastAgentObserver({ steps }: WorkflowPlan, chunks: AsyncQueue<StreamChunk>): StepObserver {
  const last = [...everyStep(steps)].findLast(({ kind }) => kind === "agent")?.name;
  return {
    wantsChunks: (step) => step === last,
    allowsRepeat: false,
    onEvent: (event) => (event.type === "chunk" ? chunks.push(event.chunk) : undefined),
  };
}
