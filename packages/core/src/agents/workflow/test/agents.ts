import { Agent } from "../../agent/agent.ts";
import { getTextContent } from "../../../base/message/content.ts";
import { ScriptedModel } from "../../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../../testing/scripted-answer.ts";

/** An agent on a model. */
export function agentOn(model: ScriptedModel): Agent {
  return new Agent({ name: "helper", model });
}

/** An agent with these scripted answers. */
export function agentOf(...turns: ScriptedAnswer[]): Agent {
  return agentOn(new ScriptedModel(...turns));
}

/** The text of the last message of each call. */
export function asked(model: ScriptedModel): string[] {
  return model.calls.map(({ messages }) => getTextContent(messages.at(-1)?.content ?? null));
}
