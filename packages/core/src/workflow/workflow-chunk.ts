import type { StreamChunk } from "../model/stream-chunk.ts";
import type { StepStatus, WorkflowResult } from "./workflow-result.ts";

/** What happens in a step, while it happens. A step that is cut off by the end of its run has no `step_end`. */
export type StepEvent =
  | { type: "step_start"; step: string }
  /** The step failed and begins anew: what it streamed before counts no more. */
  | { type: "step_retry"; step: string }
  /** What the agent of the step streams. */
  | { type: "chunk"; step: string; chunk: StreamChunk }
  | { type: "step_end"; step: string; status: StepStatus; durationMs: number };

/** What the stream of a workflow yields; `finish` is the last. */
export type WorkflowChunk<State = Readonly<Record<string, unknown>>> =
  | StepEvent
  | { type: "finish"; result: WorkflowResult<State> };
