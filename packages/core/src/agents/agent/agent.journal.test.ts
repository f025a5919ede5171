import { expect, it } from "vitest";
import { readLog } from "../journal/read-log.ts";
import { journaledRunId, openJournal } from "../journal/test/journals.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

it("an agent stores the turn of a durable run after the steps that led to it [run-log.turn-after-steps]", async () => {
  const storage = new InMemoryStorage();
  const steps: string[] = [];
  const watched = faultyStorage(storage, ({ method }) => {
    if (method === "append") steps.push("turn");
    return undefined;
  });
  storage.watch("run-log", () => void noteSteps());
  async function noteSteps(): Promise<void> {
    for await (const page of readLog(storage, journaledRunId)) {
      const entries = page.flatMap(({ record }) => record.entries);
      if (entries.some((entry) => entry.t === "done" && entry.step === "m/0")) steps.push("m/0");
    }
  }
  const agent = new Agent({ name: "a", model: new ScriptedModel("Hello."), storage: watched });
  const journal = await openJournal(storage);
  await agent.run("Hi", attemptOpts({ sessionId: "s", steps: journal }));

  expect(steps.indexOf("m/0")).toBe(0);
  expect(steps).toContain("turn");
});

it("an agent that goes on with a durable run is not hindered by the turn that it has stored", async () => {
  const storage = new InMemoryStorage();
  const agent = new Agent({ name: "a", model: new ScriptedModel("Hello.", "Hello again."), storage });
  const messages = [
    { role: "user" as const, content: "One" },
    { role: "assistant" as const, content: "Two" },
  ];
  const first = await agent.run("Hi", attemptOpts({ sessionId: "s", messages, steps: await openJournal(storage) }));
  const second = await agent.run("Hi", attemptOpts({ sessionId: "s", messages, steps: await openJournal(storage) }));

  expect(second.text).toBe(first.text);
  expect(await storage.list("turns")).toHaveLength(1);
});

it("an agent leaves no timer behind when the attempt at a durable run had stopped before it began", async () => {
  const agent = new Agent({ name: "a", model: new ScriptedModel(), storage: new InMemoryStorage() });
  const journal = await openJournal();
  journal.durable.stop("released");
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();

  await expect(agent.run("Hi", attemptOpts({ steps: journal }))).rejects.toMatchObject({ code: "interrupted" });

  expect(timers()).toBeLessThanOrEqual(before);
});
