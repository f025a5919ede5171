import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { createService } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { expect, it } from "vitest";
import { ask, revisions, serveAgUi } from "../test/serve.ts";
import type { Received } from "../test/serve.ts";

const rounds = [1, 2, 3];

/** Serves an agent that asks for an approval in each round. */
async function serveAsker(): Promise<string> {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object", properties: { round: { type: "number" } } },
    needsApproval: true,
    execute: (args) => `Paid ${(args as { round: number }).round}.`,
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    const round = messages.filter(({ role }) => role === "tool").length + 1;
    if (round > rounds.length) return "All is paid.";
    return { text: `Round ${round}.`, toolCalls: [{ name: "pay", arguments: { round } }] };
  });
  const storage = new InMemoryStorage();
  const agents = { a: new Agent({ name: "a", model, tools: [pay], storage }) };
  return await serveAgUi(createService({ agents, storage, durable: true, logger: createLogger({ level: "silent" }) }));
}

const fieldOf = (events: readonly Received[], type: string, field: string) =>
  events.flatMap((event) => (event.type === type ? [event[field]] : []));

it.each(revisions)(
  "each response of a run that asks in several rounds has its own round alone: %s",
  async (revision) => {
    const url = `${await serveAsker()}/agui/agents/a`;
    let events = await ask(url, revision);
    for (const round of rounds) {
      expect(fieldOf(events, "TEXT_MESSAGE_CONTENT", "delta").join("")).toBe(`Round ${round}.`);
      expect(fieldOf(events, "TOOL_CALL_START", "toolCallName")).toEqual(["pay"]);
      expect(fieldOf(events, "TOOL_CALL_RESULT", "content")).toEqual(round === 1 ? [] : [`Paid ${round - 1}.`]);
      const { outcome } = events.at(-1) as { outcome?: { interrupts: { id: string }[] } };
      const resume = outcome?.interrupts.map(({ id }) => {
        return { interruptId: id, status: "resolved", payload: { approved: true } };
      });
      expect(resume).toHaveLength(1);
      events = await ask(url, revision, { resume });
    }
    expect(fieldOf(events, "TEXT_MESSAGE_CONTENT", "delta").join("")).toBe("All is paid.");
    expect(fieldOf(events, "TOOL_CALL_RESULT", "content")).toEqual(["Paid 3."]);
  },
);
