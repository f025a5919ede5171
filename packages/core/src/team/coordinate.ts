import type { CallModel } from "../agent/loop-plan.ts";
import { toolLoop } from "../agent/tool-loop.ts";
import type { TeamPlan, TeamStrategy } from "./team-plan.ts";

/** The orchestrator hands tasks to members, several at once if it likes and again when it has seen results, and answers. */
export const coordinate: TeamStrategy = (plan) =>
  toolLoop({ ...plan.orchestrator, callModel: whileMembersAnswer(plan) });

/** A team whose members have all failed fails with them, before its model is called again. */
function whileMembersAnswer({ orchestrator, desk, run }: TeamPlan): CallModel {
  return (plan, call) => {
    desk.requireAnswers(run.toolCalls);
    return orchestrator.callModel(plan, call);
  };
}
