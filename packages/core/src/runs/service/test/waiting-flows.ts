import { vi } from "vitest";
import type { InMemoryStorage } from "../../../sessions/storage/in-memory-storage.ts";
import type { WorkflowStep } from "../../../agents/workflow/workflow-step.ts";
import { Workflow } from "../../../agents/workflow/workflow.ts";
import type { RunView } from "../../record/run-view.ts";
import { serveRuns, untilStatus } from "./services.ts";
import type { RunService } from "../run-service.ts";

/** The state of such a workflow. */
export type State = Record<string, unknown>;

/** Makes a workflow of these steps. */
export function flowOf(...steps: WorkflowStep<State>[]): Workflow<State> {
  return new Workflow<State>({ name: "flow", initialState: {}, steps });
}

/** The time, also on a faked clock. */
export const now = () => Date.now();

/** Begins a run of a workflow in a service of its own. */
export async function beginFlow(workflow: Workflow<State>, options: { storage?: InMemoryStorage } = {}) {
  const service = await serveRuns({ workflows: { flow: workflow }, now, ...options });
  const { runId } = await service.accept({ kind: "workflow", name: "flow" });
  return { service, runId };
}

/** Lets time pass on a faked clock, and the work that comes due. */
export async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    await vi.advanceTimersByTimeAsync(Math.min(10_000, ms - passed));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
}

const stateOf = ({ output }: RunView) => (output as { state: State }).state;

/** Waits for the end of a run, and returns the state that it has then. */
export async function completed(service: RunService, runId: string): Promise<State> {
  return stateOf(await untilStatus(service, runId, "completed"));
}
