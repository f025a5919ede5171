import { consult } from "./consult.ts";
import { Discussion } from "./discussion.ts";
import { synthesize } from "./synthesize.ts";
import type { TeamStrategy } from "./team-plan.ts";

/**
 * The members discuss: in each round everyone sees what was said in the earlier ones and contributes, then all vote. When
 * all who spoke agree, or the rounds are over, the orchestrator answers from what was said.
 */
export const collaborate: TeamStrategy = async function* (plan) {
  const { members, desk, maxRounds, run } = plan;
  const discussion = new Discussion(run.input);
  for (let round = 1; round <= maxRounds; round++) {
    const results = yield* consult(plan, discussion.invite(members, round));
    const speakers = discussion.add(members, results, round);
    if (speakers.length === 0) desk.requireAnswers(run.toolCalls);
    // Whoever is alone has nobody to agree with, and behind the last round a vote decides nothing.
    if (speakers.length < 2 || round === maxRounds) break;
    if (!discussion.canEndBy(speakers)) continue;
    const votes = yield* consult(plan, discussion.poll(speakers, round));
    if (await discussion.haveAgreed(speakers, votes)) break;
  }
  return yield* synthesize(plan, `Your members have discussed this:\n\n${discussion.transcript}`);
};
