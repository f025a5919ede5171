import { AsyncQueue } from "../../base/async/async-queue.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { RunError } from "../run/run-output.ts";
import type { RunExecution } from "../run/run-execution.ts";
import type { CompleteRunOutput } from "../run/run-output.ts";
import type { Run } from "../run/run.ts";
import type { StateChange } from "./state-change.ts";
import type { StateRecord } from "./state-shape.ts";
import { StepRunner } from "./step-runner.ts";
import type { StepObserver } from "./step-attempt.ts";
import type { StepTrace } from "./step-trace.ts";
import { isRepeated, runnableOf, walkSteps } from "./checked-step.ts";
import type { CheckedStep } from "./checked-step.ts";
import type { RetryPolicy } from "./workflow-config.ts";
import { WorkflowError } from "./workflow-result.ts";
import type { WorkflowResult, WorkflowState } from "./workflow-result.ts";

/** The plan of one run of a workflow: the steps, the retry policy, the input, and the trace of the steps. */
export type WorkflowPlan = {
  readonly steps: readonly CheckedStep[];
  readonly retryPolicy: RetryPolicy | undefined;
  /** The initial state of the run. */
  readonly start: StateRecord;
  /** The text input of the run; undefined if it has no text input. */
  readonly message: MessageContent | undefined;
  readonly trace: StepTrace;
};

/**
 * Runs the steps of a workflow and returns the finish reason. `runStreamingAnswer` yields the chunks of the answer
 * except `finish`; `runUnobserved` and runners of `createObservedRunner` yield no chunks.
 */
export type WorkflowRunner = (run: Run<StateRecord>, plan: WorkflowPlan) => AsyncGenerator<StreamChunk, FinishReason>;

/** A workflow run that has not begun, made by `WorkflowParts.plan`, and the plan that it follows. */
export type PlannedWorkflowRun = { readonly execution: RunExecution<StateRecord>; readonly plan: WorkflowPlan };

const noObserver: StepObserver = { wantsChunks: () => false, allowsRepeat: true, onEvent: () => undefined };

/**
 * The runner of `Workflow.run` and `WorkflowRunnable.run`, whose caller reads no stream. It emits no step events and
 * yields no chunks.
 */
export const runUnobserved = createObservedRunner(noObserver);

/**
 * Makes a runner that passes the events of all steps to the observer and yields no chunks itself. The observer of
 * `Workflow.stream` is the queue from which the stream is read.
 */
export function createObservedRunner(observer: StepObserver): WorkflowRunner {
  // oxlint-disable-next-line require-yield -- a WorkflowRunner without chunks
  return async function* (run, plan) {
    await runSteps(run, plan, observer);
    return "stop";
  };
}

/**
 * The runner of `WorkflowRunnable.stream`: yields the chunks of the agent step whose text is the workflow's answer. If
 * there is no such step, or it does not run, the answer is streamed as one chunk at the end.
 */
export const runStreamingAnswer: WorkflowRunner = async function* (run, plan) {
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
    if (chunk.type === "text" && chunk.member === undefined) run.text = text += chunk.text;
    yield chunk;
  }
  await end;
  if (text === "" && !isShown(plan)) yield { type: "text", text: run.text };
  return finishReason;
};

/**
 * Returns true if the answering agent step of a workflow has been streamed, for example by an earlier attempt at the
 * run.
 */
function isShown({ steps, trace }: WorkflowPlan): boolean {
  const speaker = answeringStep(steps);
  return speaker !== undefined && trace.isShown(speaker);
}

/** Runs a planned workflow to its end and returns its result. A failed run is thrown as a `WorkflowError`. */
export async function toWorkflowResult<State>({ execution, plan }: PlannedWorkflowRun): Promise<WorkflowResult<State>> {
  const toResult = <Value>({
    status,
    structured,
    usage,
    durationMs,
    stored,
  }: CompleteRunOutput): WorkflowResult<Value> => ({
    runId: execution.runId,
    status: status ?? "error",
    state: (structured ?? plan.start) as WorkflowState<Value>,
    steps: plan.trace.toResults(plan.steps),
    usage,
    durationMs: durationMs ?? 0,
    ...(stored === false && { stored }),
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
 * Runs all steps and updates the run's record with the state and the last text. The text of a workflow without an
 * agent's answer is its state as JSON.
 */
async function runSteps(run: Run<StateRecord>, plan: WorkflowPlan, observer: StepObserver): Promise<void> {
  const { steps, start, message, retryPolicy, trace } = plan;
  const { signal } = run;
  run.structured = start;
  const onChange = ({ partial, text }: StateChange): void => {
    run.structured = { ...start, ...partial };
    run.text = text ?? run.text;
  };
  const runner = new StepRunner({ retryPolicy, trace, observer, run });
  const { text } = await runner.runAll(steps, {
    before: { state: start, message },
    signal,
    onChange,
    path: "",
    steps: run.steps,
  });
  run.text = text ?? JSON.stringify(run.structured);
}

/**
 * Makes an observer that streams the agent step whose text is the workflow's answer: the last agent step, unless it
 * runs in parallel with other agents.
 */
function lastAgentObserver({ steps }: WorkflowPlan, chunks: AsyncQueue<StreamChunk>): StepObserver {
  const speaker = answeringStep(steps);
  return {
    wantsChunks: (step) => step === speaker,
    allowsRepeat: false,
    onEvent: (event) => (event.type === "chunk" ? chunks.push(event.chunk) : undefined),
  };
}

function answeringStep(steps: readonly CheckedStep[]): string | undefined {
  const last = steps.findLast((step) => agentsIn([step]) > 0);
  if (last?.kind === "agent" || last?.kind === "workflow") return last.name;
  // With several rounds, items or cases it is unknown before the run which agent answers last, so no step is streamed.
  if (last === undefined || !("steps" in last) || isRepeated(last)) return undefined;
  if (last.kind !== "condition" && agentsIn([last]) > 1) return undefined;
  return answeringStep(last.steps);
}

function agentsIn(steps: readonly CheckedStep[]): number {
  return [...walkSteps(steps)].filter((step) => runnableOf(step) !== undefined).length;
}
