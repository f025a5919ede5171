import { Agent, defineTool, InMemoryStorage, Team } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunServiceOptions } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { onTestFinished } from "vitest";

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

/** Makes a durable service over memory that performs its runs until the test is over. */
export async function durable(options: RunServiceOptions): Promise<RunService> {
  const service = new RunService({ storage: new InMemoryStorage(), ...options });
  onTestFinished(async () => await service.close());
  await service.serve();
  return service;
}

/** Makes an agent that asks for approval before it pays, with the payments that it has made. */
export function payer(): { agent: Agent; paid: unknown[] } {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { amount: { type: "number" } } },
    needsApproval: true,
    execute: (args) => {
      paid.push(args);
      return "Paid.";
    },
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.at(-1)?.role === "tool"
      ? "It is done."
      : { toolCalls: [{ name: "pay", arguments: { amount: 20 } }] };
  });
  return { agent: new Agent({ name: "payer", model, tools: [pay], storage: new InMemoryStorage() }), paid };
}
