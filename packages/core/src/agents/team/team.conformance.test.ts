import { describe, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { ModelProvider } from "../../model/model-provider.ts";
import { checkConformance } from "../../testing/conformance/check-conformance.ts";
import { runnableCases } from "../../testing/conformance/runnable-cases.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";

const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };

/** A model that costs nothing, so that the suite's model has all that is billed. */
function free(turn: Exclude<ScriptedAnswer, string>): ScriptedModel {
  return new ScriptedModel().respond(() => ({ ...turn, usage }));
}

function memberOn(model: ModelProvider, name = "helper"): Agent {
  return new Agent({ name, model });
}

const idle = () => memberOn(free({ text: "fine" }), "idle");
const agreeing = (name: string) => memberOn(free({ text: '{"agree": true}' }), name);
const picks = (member: string) => free({ structured: { member } });

/** The suite's model is the orchestrator's, or in `route` that of the member which it picks. */
const teams: Readonly<Record<string, (model: ModelProvider) => Team>> = {
  "of mode coordinate": (model) => new Team({ name: "team", mode: "coordinate", model, members: [idle()] }),
  "of mode route": (model) =>
    new Team({ name: "team", mode: "route", model: picks("helper"), members: [idle(), memberOn(model)] }),
  "of mode broadcast": (model) =>
    new Team({ name: "team", mode: "broadcast", model, members: [idle(), agreeing("other")] }),
  "of mode collaborate": (model) =>
    new Team({ name: "team", mode: "collaborate", model, members: [agreeing("one"), agreeing("other")] }),
};

describe.each(Object.entries(teams))("a team %s", (_mode, create) => {
  checkConformance(it, runnableCases, { create: () => ({ runnable: create }) });
});

describe.each(Object.entries(teams))("a team whose one member is a team %s", (_mode, create) => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: (model) => {
        const inner = create(model);
        return new Team({ name: "outer", mode: "route", model: picks(inner.name), members: [idle(), inner] });
      },
    }),
  });
});
