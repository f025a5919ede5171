import { Agent, Team, Workflow } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

/** Makes an agent that always answers the same. */
export function talker(text = "Hello.", config: Partial<AgentConfig> = {}): Agent {
  return new Agent({ name: "talker", model: new ScriptedModel().respond(() => text), ...config });
}

/** Makes an agent with a scripted model, and returns both. */
export function scripted(...turns: ConstructorParameters<typeof ScriptedModel>): {
  agent: Agent;
  model: ScriptedModel;
} {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: "scripted", model }), model };
}

/** Makes a team that always answers the same. */
export function desk(text = "Hello from the team."): Team {
  const model = new ScriptedModel().respond(() => text);
  const second = new Agent({ name: "second", model: new ScriptedModel().respond(() => "Yes.") });
  return new Team({ name: "desk", mode: "broadcast", model, members: [talker(), second] });
}

/** Makes a workflow that adds 1 to its state. */
export function counter() {
  return new Workflow({
    name: "counter",
    initialState: { count: 1 },
    steps: [{ name: "add", run: ({ count }) => ({ count: count + 1 }) }],
  });
}
