import { rulesOf } from "../rule.ts";

/** Workflows. */
export const workflowRules = rulesOf("@troupe/core", {
  "workflow.initial-state": "a workflow starts from its initial state",
  "workflow.order": "steps run in order",
  "workflow.retry-policy": "retryPolicy repeats a failed step, waiting backoffMs",
  "workflow.agent-step": "an agent step runs an agent",
  "workflow.input-from": "inputFrom makes an agent step's input from the state",
  "workflow.function-step": "a function step returns a part of the state, from state and run context",
  "workflow.condition-step": "a condition step runs its steps when its condition holds",
  "workflow.parallel-step": "a parallel step runs its steps side by side",
  "workflow.run": "run takes session and user and returns a result with the state",
});
