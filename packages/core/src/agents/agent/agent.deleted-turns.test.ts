import { describe, expect, it } from "vitest";
import { Memory } from "../memory/memory.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import type { AgentConfig } from "./agent-config.ts";

const opts = { sessionId: "s", userId: "ada" };
const owner = { userId: "ada" };

function agentWith(more: Partial<AgentConfig>) {
  const model = new ScriptedModel().respond(({ messages }) => `Answer to ${JSON.stringify(messages.at(-1)?.content)}.`);
  return { model, agent: new Agent({ name: "a", model, storage: new InMemoryStorage(), ...more }) };
}

async function talk(agent: Agent, ...inputs: string[]): Promise<void> {
  for (const input of inputs) await agent.run(input, opts);
}

describe("turns that were deleted", () => {
  it("are not given to the model again", async () => {
    const { agent, model } = agentWith({});
    await talk(agent, "one", "two", "three");
    await agent.sessions.deleteTurns("s", 2, { owner });
    await talk(agent, "again");

    const sent = JSON.stringify(model.calls.at(-1));
    expect(sent).toContain("one");
    expect(sent).not.toMatch(/two|three/);
  });

  it.each([
    [2, "the agent's storage", undefined],
    [20, "the agent's storage", undefined],
    [2, "a storage of its own", new InMemoryStorage()],
    [20, "a storage of its own", new InMemoryStorage()],
  ])(
    "are forgotten by a memory with a window of %i in %s, summaries included [session.delete-turns-memory]",
    async (maxShortTermMessages, _place, storage) => {
      const memory = new Memory({ maxShortTermMessages, enableLongTerm: true, storage });
      const { agent, model } = agentWith({ memory });
      const deleted = ["Bonn", "Kyiv", "Riga", "Bern", "Lima", "Cairo", "Delhi", "Perth"];
      await talk(agent, "Oslo", "Rome", ...deleted);
      const kept = async () =>
        JSON.stringify([await memory.getMessages("s", owner), await memory.getSummaries("s", owner)]);
      const isSummarized = JSON.stringify(await memory.getSummaries("s", owner)).includes("Bonn");
      expect([isSummarized, (await kept()).includes("Perth")]).toEqual([maxShortTermMessages === 2, true]);
      await agent.sessions.deleteTurns("s", 3, { owner });

      expect(await kept()).not.toMatch(new RegExp(deleted.join("|")));
      await talk(agent, "again");
      expect(JSON.stringify(model.calls.at(-1))).not.toMatch(new RegExp(deleted.join("|")));
      expect(await kept()).toMatch(/Oslo.*Rome.*again|again.*Oslo.*Rome/s);
    },
  );

  it("are forgotten by a memory of another agent and storage when that runs next [session.delete-turns-memory]", async () => {
    const storage = new InMemoryStorage();
    const memory = new Memory({ storage: new InMemoryStorage() });
    const { agent: remembering, model } = agentWith({ memory, storage });
    const { agent: other } = agentWith({ storage });
    await talk(remembering, "one", "two", "three");
    await other.sessions.deleteTurns("s", 2, { owner });
    await talk(other, "four");
    await other.sessions.deleteTurns("s", 4, { owner });
    await talk(other, "five");
    await talk(remembering, "six");

    const sent = JSON.stringify(model.calls.at(-1));
    expect(sent).toMatch(/one.*five.*six/s);
    expect(sent).not.toMatch(/two|three|four/);
  });

  it("are forgotten by an object with the five methods of a memory [session.delete-turns-memory]", async () => {
    const kept = new Map<string, unknown[]>();
    const memory = {
      addMessages: (id: string, messages: unknown[]) => void kept.set(id, [...(kept.get(id) ?? []), ...messages]),
      getMessages: (id: string) => (kept.get(id) ?? []) as never[],
      getSummaries: () => [],
      getContextString: () => "",
      clear: (id: string) => void kept.delete(id),
    };
    const { agent, model } = agentWith({ memory });
    await talk(agent, "one", "two", "three");
    await agent.sessions.deleteTurns("s", 2, { owner });
    await talk(agent, "again");

    const sent = JSON.stringify(model.calls.at(-1));
    expect(sent).toContain("one");
    expect(sent).not.toMatch(/two|three/);
  });
});
