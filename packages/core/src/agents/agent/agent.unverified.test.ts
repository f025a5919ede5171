import { describe, expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { UserMemory } from "../memory/user-memory.ts";
import type { RunOpts } from "../run/run-options.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { drivers } from "../../sessions/storage/test/drivers.ts";
import { FaultInjector } from "../../sessions/storage/test/fault-injector.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Agent } from "./agent.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

const claimed = (userId: string): RunOpts => attemptOpts({ userId, verified: false, fromOutside: true });

/** Two agents over one storage, as those of a service, and the warnings of both. */
function serviceOver(storage = new InMemoryStorage() as ConstructorParameters<typeof FaultInjector>[0]) {
  const warnings: { code: string; message: string; runId?: string }[] = [];
  const userMemory = new UserMemory({ storage, enabled: false });
  const lines: string[] = [];
  const logger = createLogger({ level: "warn", write: (line) => void lines.push(line) });
  const [one, two] = ["one", "two"].map((name) => {
    const model = new ScriptedModel().respond(() => "Yes.");
    const agent = new Agent({ name, model, storage, userMemory, logger });
    agent.eventBus.on("run.warning", (warning) => void warnings.push(warning));
    return agent;
  }) as [Agent, Agent];
  const settle = async () => await Promise.all([one.sessions.flush(), two.sessions.flush()]);
  return { one, two, userMemory, warnings, lines, settle };
}

describe.each(drivers)("an unverified user with the name of a verified one, over a storage with %s", (_, create) => {
  it.each(["session", "fact"])("is a warning, once, when that user has a %s [run.user-unverified]", async (what) => {
    const { one, two, userMemory, warnings, lines, settle } = serviceOver(create());
    if (what === "session") await one.run("Hi", { userId: "Zoë" });
    else await userMemory.addFacts("Zoë", ["Lives in Oslo."]);
    await one.run("Hi", claimed("nobody"));
    await settle();
    expect(warnings).toEqual([]);

    for (const agent of [one, two, one]) await agent.run("Hi", claimed("Zoë"));
    await settle();
    expect(warnings).toMatchObject([{ code: "user_unverified", message: expect.stringContaining("principal") }]);
    expect(warnings[0]?.runId).toBeUndefined();
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/Zoë|Oslo/);
  });
});

it("Agent costs nothing for users who are verified, for runs of the program, and after fifty looks", async () => {
  const watched = new FaultInjector(new InMemoryStorage());
  const { one, warnings, settle } = serviceOver(watched.driver);
  const callsOf = async (opts: RunOpts) => {
    watched.calls.length = 0;
    await one.run("Hi", opts);
    await settle();
    return watched.calls.length;
  };
  const usual = await callsOf(attemptOpts({ userId: "u", fromOutside: true }));
  expect(await callsOf(attemptOpts({ userId: "v", verified: false }))).toBe(usual);
  const first = await callsOf(claimed("name-0"));
  expect(first).toBeGreaterThan(usual);
  for (let index = 1; index < 50; index++) expect(await callsOf(claimed(`name-${index}`))).toBe(first);

  expect(await callsOf(claimed("name-50"))).toBe(usual);
  expect(warnings).toEqual([]);
});
