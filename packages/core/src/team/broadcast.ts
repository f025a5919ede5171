import { consult } from "./consult.ts";
import { synthesize } from "./synthesize.ts";
import type { TeamStrategy } from "./team-plan.ts";

/** All members answer at once, and the orchestrator makes one answer of theirs. */
export const broadcast: TeamStrategy = async function* (plan) {
  const { members, desk, run } = plan;
  const content = run.input;
  const results = yield* consult(
    plan,
    members.map((member) => ({ member, content, args: {} })),
  );
  desk.requireAnswers(results);
  const answers = members.map(({ name }, index) => `## ${name}\n\n${results[index]?.result}`);
  return yield* synthesize(plan, ["These are the answers of your members:", ...answers].join("\n\n"));
};
