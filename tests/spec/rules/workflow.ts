import { rulesOf } from "../rule.ts";

/** Workflows. */
export const workflowRules = rulesOf("@troupe/core", {
  "workflow.initial-state": {
    text: "a workflow starts from its initial state",
    test: "packages/core/src/workflow/workflow.test.ts",
  },
  "workflow.order": { text: "steps run in order", test: "packages/core/src/workflow/workflow.test.ts" },
  "workflow.retry-policy": {
    text: "retryPolicy repeats a failed step, waiting backoffMs",
    test: "packages/core/src/workflow/attempt-step.test.ts",
  },
  "workflow.agent-step": { text: "an agent step runs an agent", test: "packages/core/src/workflow/ask-agent.test.ts" },
  "workflow.input-from": {
    text: "inputFrom makes an agent step's input from the state",
    test: "packages/core/src/workflow/ask-agent.test.ts",
  },
  "workflow.function-step": {
    text: "a function step returns a part of the state, from state and run context",
    test: "packages/core/src/workflow/step-runner.test.ts",
  },
  "workflow.condition-step": {
    text: "a condition step runs its steps when its condition holds",
    test: "packages/core/src/workflow/step-runner.test.ts",
  },
  "workflow.parallel-step": {
    text: "a parallel step runs its steps side by side",
    test: "packages/core/src/workflow/step-runner.test.ts",
  },
  "workflow.run": {
    text: "run takes session and user and returns a result with the state",
    test: "packages/core/src/workflow/workflow.test.ts",
  },
});
