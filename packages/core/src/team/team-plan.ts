import type { LoopPlan } from "../agent/loop-plan.ts";
import type { FinishReason, StreamChunk } from "../model/stream-chunk.ts";
import type { Run } from "../run/run.ts";
import type { Member } from "./member.ts";
import type { MemberDesk } from "./member-desk.ts";

/** All that a strategy knows of a run: data, and no team. */
export type TeamPlan = {
  readonly run: Run;
  /** How the orchestrator's model is asked. It knows no tools. */
  readonly orchestrator: LoopPlan;
  readonly members: readonly Member[];
  /** Through it members are asked. */
  readonly desk: MemberDesk;
  readonly maxRounds: number;
  /** Whether somebody reads what is streamed. */
  readonly streams: boolean;
};

/** What a team does in one mode: yields all chunks but `finish`, and returns why it ended. */
export type TeamStrategy = (plan: TeamPlan) => AsyncGenerator<StreamChunk, FinishReason>;
