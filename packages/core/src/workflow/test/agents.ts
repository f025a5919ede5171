import { Agent } from "../../agent/agent.ts";
import { getTextContent } from "../../message/content.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedTurn } from "../../testing/scripted-turn.ts";

/** An agent on a model. */
export function agentOn(model: ScriptedModel): Agent {
  return new Agent({ name: "helper", model });
}

/** An agent that answers with these turns. */
export function agentOf(...turns: ScriptedTurn[]): Agent {
  return agentOn(new ScriptedModel(...turns));
}

/** What the model was asked, call by call. */
export function asked(model: ScriptedModel): string[] {
  return model.calls.map(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
}
