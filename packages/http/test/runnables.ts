import { Agent, Team, Workflow } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

/** An agent that always says the same. */
export function talker(text = "Hello.", config: Partial<AgentConfig> = {}): Agent {
  return new Agent({ name: "talker", model: new ScriptedModel().respond(() => text), ...config });
}

/** An agent whose model plays these turns, and the model. */
export function scripted(...turns: ConstructorParameters<typeof ScriptedModel>): {
  agent: Agent;
  model: ScriptedModel;
} {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: "scripted", model }), model };
}

/** A team whose members all answer, and whose last word is always the same. */
export function desk(text = "Hello from the team."): Team {
  const model = new ScriptedModel().respond(() => text);
  const second = new Agent({ name: "second", model: new ScriptedModel().respond(() => "Yes.") });
  return new Team({ name: "desk", mode: "broadcast", model, members: [talker(), second] });
}

/** A workflow that counts on from where it is told to. */
export function counter() {
  return new Workflow({
    name: "counter",
    initialState: { count: 1 },
    steps: [{ name: "add", run: ({ count }) => ({ count: count + 1 }) }],
  });
}
