import type { LoopPlan } from "../agent/loop-plan.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import type { Run } from "../run/run.ts";
import type { MemberRuns } from "./member-runs.ts";
import type { TeamMember } from "./members.ts";

/**
 * Parameters of a `TeamStrategy` for one run of a team: the run to which it records, the orchestrator's tool loop, and
 * the members.
 */
export type TeamRunPlan = {
  readonly run: Run;
  /** The plan of the orchestrator's tool loop. */
  readonly orchestrator: LoopPlan;
  readonly members: readonly TeamMember[];
  readonly memberRuns: MemberRuns;
  readonly maxRounds: number;
  /** True if the team's run is streamed, so that the caller reads chunks. */
  readonly streams: boolean;
};

/** Performs a team's run in one mode: yields all chunks except `finish` and returns the finish reason. */
export type TeamStrategy = (plan: TeamRunPlan) => AsyncGenerator<StreamChunk, FinishReason>;
