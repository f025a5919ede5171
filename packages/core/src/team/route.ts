import { chooseMember } from "./choose-member.ts";
import { handOver } from "./hand-over.ts";
import type { TeamStrategy } from "./team-plan.ts";

/** The orchestrator picks one member, whose answer is the team's: chunk by chunk, as it comes. */
export const route: TeamStrategy = async function* (plan) {
  return yield* handOver(plan, await chooseMember(plan));
};
