import type { ModelCaller } from "../agent/loop-plan.ts";
import { toolLoop } from "../agent/tool-loop.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import type { FinishReason } from "../../model/model-chunk.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { delegateInParallel } from "./delegation.ts";
import { appendTextPart, Discussion } from "./discussion.ts";
import { routeToMember } from "./route-to-member.ts";
import type { TeamMode } from "./team-config.ts";
import type { TeamRunPlan, TeamStrategy } from "./team-plan.ts";

/** The strategy of mode `coordinate`: the orchestrator delegates tasks, in parallel and repeatedly, and answers. */
const coordinate: TeamStrategy = (plan) =>
  plan.memberRuns.showText(toolLoop({ ...plan.orchestrator, call: whileMembersAnswer(plan) }));

/**
 * Makes a model caller for the orchestrator that fails the team's run before the next model call if all members have
 * failed.
 */
function whileMembersAnswer({ orchestrator, memberRuns, run }: TeamRunPlan): ModelCaller {
  return (plan, call) => {
    memberRuns.requireAnAnswer(run.toolCalls);
    return orchestrator.call(plan, call);
  };
}

/** The strategy of mode `broadcast`: all members answer in parallel, and the orchestrator combines their answers. */
const broadcast: TeamStrategy = async function* (plan) {
  const { members, memberRuns, run } = plan;
  const content = run.input;
  const tasks = members.map((member) => ({ member, content, args: {} }));
  const results = yield* memberRuns.showText(delegateInParallel(plan, tasks));
  memberRuns.requireAnAnswer(results);
  const answers = members.map(({ name }, index) => `## ${name}\n\n${getTextContent(results[index]?.result ?? null)}`);
  return yield* synthesize(plan, ["These are the answers of your members:", ...answers].join("\n\n"));
};

/**
 * The strategy of mode `collaborate`. In each round every member sees the earlier rounds and contributes, then the
 * contributors vote. If they all agree, if only one contributed, or after the last round, the orchestrator answers from
 * the transcript.
 */
const collaborate: TeamStrategy = async function* (plan) {
  const { members, memberRuns, maxRounds, run } = plan;
  const discussion = new Discussion(run.input);
  for (let round = 1; round <= maxRounds; round++) {
    const tasks = discussion.contributionTasks(members, round);
    const results = yield* memberRuns.showText(delegateInParallel(plan, tasks));
    const speakers = discussion.addContributions(members, results, round);
    if (speakers.length === 0) memberRuns.requireAnAnswer(run.toolCalls);
    // A single speaker needs no vote, and after the last round a vote has no effect.
    if (speakers.length < 2 || round === maxRounds) break;
    if (!discussion.canEndBy(speakers)) continue;
    memberRuns.hideText();
    const votes = yield* delegateInParallel(plan, discussion.voteTasks(speakers, round));
    if (await discussion.haveAgreed(speakers, votes)) break;
  }
  return yield* synthesize(plan, `Your members have discussed this:\n\n${discussion.transcript}`);
};

/** The strategy that performs a team's run, by the mode of the team. */
export const teamStrategies: Readonly<Record<TeamMode, TeamStrategy>> = {
  coordinate,
  route: routeToMember,
  broadcast,
  collaborate,
};

/** Lets the orchestrator answer from a report of the members' work, which is appended to the last message. */
async function* synthesize({ orchestrator }: TeamRunPlan, report: string): AsyncGenerator<StreamChunk, FinishReason> {
  const messages = appendToLast(orchestrator.messages, report);
  return yield* toolLoop({ ...orchestrator, messages, maxToolRoundtrips: 0 });
}

function appendToLast(messages: readonly ChatMessage[], text: string): ChatMessage[] {
  const last = messages.at(-1);
  if (last === undefined) return [{ role: "user", content: text }];
  return [...messages.slice(0, -1), { ...last, content: appendTextPart(last.content ?? "", text) }];
}
