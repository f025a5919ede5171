import type { StepEvent } from "./workflow-chunk.ts";

/** Who hears what happens in the steps of a run. */
export type Audience = {
  /** Whether the agent of the step is to stream. */
  hears(step: string): boolean;
  /** Whether a step may begin anew that has streamed already. */
  readonly forgets: boolean;
  /** Tells; the step goes on when this is done. */
  tell(event: StepEvent): Promise<void> | undefined;
};

/** The audience of a run that does not stream. */
export const nobody: Audience = { hears: () => false, forgets: true, tell: () => undefined };
