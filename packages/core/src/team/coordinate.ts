import type { ModelCall, ModelTurn } from "../agent/model-turn.ts";
import { toolLoop } from "../agent/tool-loop.ts";
import type { TeamPlan, TeamStrategy } from "./team-plan.ts";

/** The orchestrator hands tasks to members, several at once if it likes and again when it has seen results, and answers. */
export const coordinate: TeamStrategy = (plan) => toolLoop({ ...plan.orchestrator, turn: whileSomebodyAnswers(plan) });

/** A team whose members have all failed fails with them: nobody asks the orchestrator what it makes of that. */
function whileSomebodyAnswers({ orchestrator, desk }: TeamPlan): ModelTurn {
  return (call: ModelCall) => {
    desk.requireAnswers(orchestrator.record.toolCalls);
    return orchestrator.turn(call);
  };
}
