import { longestTimerMs } from "../../base/errors/option-checks.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { sleep } from "../../base/async/sleep.ts";
import { cleanJson } from "../../base/util/clean-json.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { describeIssues } from "../../schema/schema-issue.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { OpenStep } from "../run/run-steps.ts";
import type { StepQuestion } from "../run/run-wait.ts";
import type { CheckedStepOf, WaitTiming } from "./checked-step.ts";
import { noStateChange } from "./state-change.ts";
import type { StateChange } from "./state-change.ts";
import { copyState } from "./state-shape.ts";
import type { Work } from "./step-attempt.ts";
import type { PlacedScope } from "./step-scope.ts";

/** Steps that wait: for an answer, for an event, or for a time. */
export type CheckedWaitStep = CheckedStepOf<"ask"> | CheckedStepOf<"waitFor"> | CheckedStepOf<"sleep">;

/** Returns the work of a step that waits. */
export function waitWork(step: CheckedWaitStep, scope: PlacedScope): Work<StateChange> {
  return async ({ context }, open) => {
    if (step.kind === "sleep") return await sleepUntil(step, scope, { open, signal: context.signal });
    if (open === undefined) throw cannotWait(step.name);
    const question = step.kind === "ask" ? await questionOf(step, scope) : eventQuestion(step);
    const answer = await answerOf(open, question, step.timing);
    const value = "given" in answer ? answer.given : await checked(step, answer.result);
    return { partial: { [step.name]: value } };
  };
}

/** Makes the error for a workflow with a step that waits, if it is run without a `RunService`. */
export function cannotWait(step: string): TroupeError {
  return new TroupeError(
    "invalid_config",
    `The step ${JSON.stringify(step)} waits for an answer or an event, and this run cannot wait. Run the workflow by a ` +
      "RunService, new RunService({ workflows: { … } }): one without a storage, in memory, will do.",
  );
}

async function questionOf(step: CheckedStepOf<"ask">, { before }: PlacedScope): Promise<StepQuestion> {
  const { name, ask, schema, timing } = step;
  const question = await ask(copyState(before.state));
  if (typeof question !== "string" || question.trim() === "") {
    throw new TroupeError("invalid_value", "ask must return the question: a string that is not blank.");
  }
  const about = { question, step: name, ...(schema !== undefined && { schema: schema.jsonSchema as Json }) };
  return { kind: "question", about, ...untilOf(timing) };
}

function eventQuestion({ name, waitFor, timing }: CheckedStepOf<"waitFor">): StepQuestion {
  return { kind: "event", about: { event: waitFor, step: name }, ...untilOf(timing) };
}

function untilOf({ waitMs }: WaitTiming): Pick<StepQuestion, "until"> {
  return waitMs === undefined ? {} : { until: Date.now() + waitMs };
}

/**
 * Returns the answer to a question. If no answer arrives in time, returns the value that `onTimeout` gives, or throws.
 */
async function answerOf(
  open: OpenStep,
  question: StepQuestion,
  { onTimeout }: WaitTiming,
): Promise<{ result: unknown } | { given: unknown }> {
  try {
    return { result: readProperty(await open.ask(question), "result") };
  } catch (error) {
    if (onTimeout === "fail" || !TroupeError.is(error) || error.code !== "timeout") throw error;
    return { given: onTimeout === "continue" ? null : onTimeout.value };
  }
}

/** Returns the answer as the output of the schema. The service has already checked it against the JSON Schema. */
async function checked(step: CheckedWaitStep, result: unknown): Promise<unknown> {
  if (step.kind !== "ask" || step.schema === undefined) return result ?? null;
  const verdict = await step.schema.validate(result);
  if (!verdict.ok) {
    throw new TroupeError("invalid_value", `the answer does not fit the schema:\n${describeIssues(verdict.issues)}`);
  }
  return cleanJson(verdict.value, (place, problem) => {
    return new TroupeError("invalid_value", `the schema's output${place && ` at ${place}`} ${problem}.`);
  });
}

/** Waits until a time. A durable run is suspended until then; a plain run keeps a timer. */
async function sleepUntil(
  { name, until }: CheckedStepOf<"sleep">,
  { before }: PlacedScope,
  { open, signal }: { open: OpenStep | undefined; signal: AbortSignal },
): Promise<StateChange> {
  const time = await until(copyState(before.state));
  if (open !== undefined) await open.ask({ kind: "sleep", about: { step: name }, until: time });
  // One timer suffices: the run's time limit ends the run before the longest timer does.
  else await sleep(Math.min(Math.max(0, time - Date.now()), longestTimerMs), signal);
  return noStateChange;
}
