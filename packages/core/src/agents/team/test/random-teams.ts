import fc from "fast-check";
import { Agent } from "../../agent/agent.ts";
import type { Runnable } from "../../run/runnable.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import type { ScriptedRequest, ScriptedAnswer } from "../../../testing/scripted-answer.ts";
import { allModes } from "./teams.ts";
import type { TeamMode } from "../team-config.ts";
import { Team } from "../team.ts";

/** A member that answers or fails, or a team of some. */
export type Plan = { fails: boolean; delayMs: number } | { mode: TeamMode; members: Plan[]; pick: number };

export type TeamPlan = Extract<Plan, { mode: TeamMode }>;

/** A team and all its models. */
export type Built<Kind extends Runnable = Runnable> = {
  runnable: Kind;
  models: ScriptedModel[];
  runnables: Runnable[];
};

const { team } = fc.letrec<{ team: TeamPlan; plan: Plan }>((tie) => ({
  team: fc.record({
    mode: fc.constantFrom(...allModes),
    members: fc.array(tie("plan"), { minLength: 1, maxLength: 3 }),
    pick: fc.nat(2),
  }),
  plan: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ fails: fc.boolean(), delayMs: fc.constantFrom(0, 1, 2) }),
    tie("team"),
  ),
}));

export const randomTeam: fc.Arbitrary<TeamPlan> = team;

/** Builds a team from its plan. */
export function buildTeam(plan: TeamPlan, name = "team"): Built<Team> {
  const inner = plan.members.map((each, index) => build(each, `m${index}`));
  const model = new ScriptedModel().respond((request) => lead(plan, request));
  const members = inner.map(({ runnable }) => runnable);
  const built = new Team({
    name,
    mode: plan.mode,
    model,
    members,
    ...(plan.mode === "collaborate" && { maxRounds: 2 }),
  });
  return {
    runnable: built,
    models: [model, ...inner.flatMap(({ models }) => models)],
    runnables: inner.flatMap(({ runnable, runnables }) => [runnable, ...runnables]),
  };
}

/** Returns true if a run of the planned team fails. */
export function mustFail(plan: Plan): boolean {
  if ("fails" in plan) return plan.fails;
  const failures = plan.members.map(mustFail);
  if (plan.mode === "route") return failures[plan.pick % failures.length] === true;
  return failures.every(Boolean);
}

function build(plan: Plan, name: string): Built {
  if ("mode" in plan) return buildTeam(plan, name);
  const { fails, delayMs } = plan;
  const turn: ScriptedAnswer = { delayMs, ...(fails ? { error: new Error("broken") } : { text: `from ${name}` }) };
  const model = new ScriptedModel().respond(() => turn);
  return { runnable: new Agent({ name, model }), models: [model], runnables: [] };
}

function lead({ mode, members, pick }: TeamPlan, { messages, options }: ScriptedRequest): ScriptedAnswer {
  if (mode === "route") return { structured: { member: `m${pick % members.length}` } };
  const hasResults = messages.at(-1)?.role === "tool";
  if (mode !== "coordinate" || hasResults) return "done";
  const tools = options.tools ?? [];
  return { toolCalls: tools.map(({ name }, index) => ({ id: `c${index}`, name, arguments: { task: "go" } })) };
}
