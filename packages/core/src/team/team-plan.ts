import type { LoopPlan } from "../agent/loop-plan.ts";
import type { FinishReason } from "../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { Run } from "../run/run.ts";
import type { MemberRuns } from "./member-runs.ts";
import type { Member } from "./members.ts";

/**
 * All that a strategy needs for one run of a team: the run that it records to, the orchestrator's loop, and the
 * members.
 */
export type TeamPlan = {
  readonly run: Run;
  /** The loop of the orchestrator's model. */
  readonly orchestrator: LoopPlan;
  readonly members: readonly Member[];
  readonly memberRuns: MemberRuns;
  readonly maxRounds: number;
  /** True when the caller reads chunks. */
  readonly streams: boolean;
};

/** The work of a team in one mode: yields all chunks but `finish`, and returns the finish reason. */
export type TeamStrategy = (plan: TeamPlan) => AsyncGenerator<StreamChunk, FinishReason>;
