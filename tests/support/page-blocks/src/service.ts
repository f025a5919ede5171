import { Agent, defineTool, InMemoryStorage } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { agUi } from "@troupe/ag-ui";
import { http } from "@troupe/http";
import { mcp } from "@troupe/mcp";
import { openaiApi } from "@troupe/openai-api";
import { chatStream } from "@troupe/use-chat";
import { z } from "zod";

/** One word, which streams do not divide. */
export const answer = "Umbrella!";

const pay = defineTool({
  name: "pay",
  description: "Pays.",
  parameters: z.object({ what: z.string() }),
  needsApproval: true,
  execute: ({ what }) => `Paid ${what}.`,
});

/** A model that answers, after a call of the tool if it has one. */
const makeModel = (): ScriptedModel =>
  new ScriptedModel().respond(({ messages, options }) => {
    const [tool] = options.tools ?? [];
    if (tool === undefined || messages.at(-1)?.role === "tool") return answer;
    return { toolCalls: [{ name: tool.name, arguments: { what: "the bill" } }] };
  });

/**
 * Serves what the pages call: `helper` and `assistant`, which answer at once, and `cashier` and `concierge`, which ask
 * for an approval first. `callsOf` counts the calls of an agent's model.
 */
export async function serveAgents() {
  const storage = new InMemoryStorage();
  const models = { helper: makeModel(), assistant: makeModel(), cashier: makeModel(), concierge: makeModel() };
  const make = (name: keyof typeof models, tools = name === "cashier" || name === "concierge" ? [pay] : []) =>
    new Agent({ name, model: models[name], storage, tools });
  const agents = {
    helper: make("helper"),
    assistant: make("assistant"),
    cashier: make("cashier"),
    concierge: make("concierge"),
  };
  const service = createService({ agents, storage, durable: true });
  const protocols = [
    http({ swagger: { enabled: true } }),
    agUi(),
    openaiApi({ chat: { approvals: "deny" } }),
    chatStream(),
    mcp(),
  ];
  const { url } = await serve(service, protocols, { port: 0 });
  return {
    url,
    storage,
    agents,
    callsOf: (name: keyof typeof models): number => models[name].calls.length,
    close: async () => await service.close({ graceMs: 0 }),
  };
}

/** A running service of these agents. */
export type Served = Awaited<ReturnType<typeof serveAgents>>;

/** Sends JSON to a path of the service. */
export async function post(url: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}
