import { describe, expect, it } from "vitest";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import type { TeamConfig } from "./team-config.ts";
import { sayer } from "./test/teams.ts";
import { attemptOpts } from "../run/test/attempt-opts.ts";

/** A team of `ann`, who answers "fine". */
function teamOf(config: Partial<TeamConfig> = {}, model = new ScriptedModel().respond(() => "done")) {
  const storage = new InMemoryStorage();
  const ann = sayer("ann", "fine");
  const team = new Team({ name: "team", mode: "coordinate", model, members: [ann.agent], storage, ...config });
  const warnings: RunEvents["run.warning"][] = [];
  team.eventBus.on("run.warning", (warning) => void warnings.push(warning));
  return { team, model, warnings };
}

describe("a run of a team", () => {
  it("stores no answer of a model that said nothing", async () => {
    const { team } = teamOf({}, new ScriptedModel(""));
    await team.run("Hi", { sessionId: "s" });

    expect((await team.sessions.readTurns("s")).turns).toMatchObject([
      { input: "Hi", messages: [], status: "completed" },
    ]);
  });

  it("makes a title for a new session alone", async () => {
    const titles = new ScriptedModel().respond(() => "A title");
    const { team } = teamOf({ titles: { model: titles } });
    for (const input of ["Hi", "Again"]) {
      await team.run(input, { sessionId: "s" });
      await team.sessions.flush();
    }

    expect(titles.calls).toHaveLength(1);
  });

  it("makes no title when it fails", async () => {
    const titles = new ScriptedModel().respond(() => "A title");
    const { team } = teamOf({ titles: { model: titles } }, new ScriptedModel({ error: new Error("Out of paper.") }));
    await expect(team.run("Hi", { sessionId: "s" })).rejects.toMatchObject({ code: "internal" });
    await team.sessions.flush();

    expect(titles.calls).toEqual([]);
  });

  it("warns of a user who claims the name of a verified one [run.user-unverified]", async () => {
    const { team, warnings } = teamOf();
    await team.run("Hi", { userId: "ada" });
    await team.run("Hi", attemptOpts({ userId: "ada", verified: false, fromOutside: true }));
    await team.sessions.flush();

    expect(warnings).toMatchObject([{ code: "user_unverified" }]);
  });

  it.each(["coordinate", "broadcast", "collaborate"] as const)("has no object stream in mode %s", async (mode) => {
    const read = Array.fromAsync(teamOf({ mode }).team.stream("Hi").objectStream);

    await expect(read).rejects.toMatchObject({
      code: "invalid_config",
      message: expect.stringMatching(/^objectStream has no values/),
    });
  });

  it("has the objects of a routed member", async () => {
    const structuredOutput = { type: "object", properties: { n: { type: "number" } } } as const;
    const ann = sayer("ann", { structured: { n: 1 } }, { structuredOutput });
    const { team } = teamOf({ mode: "route", members: [ann.agent] });

    expect((await Array.fromAsync(team.stream("Hi").objectStream)).at(-1)).toEqual({ n: 1 });
  });

  it.each([
    ["answer", { text: "done", stored: false }],
    ["error", { code: "storage_unavailable", output: { status: "error", text: "done" } }],
    [undefined, { code: "storage_unavailable", output: { status: "error", text: "done" } }],
  ] as const)("ends with onStorageFailure %s where it cannot be stored", async (onStorageFailure, expected) => {
    const storage = faultyStorage(new InMemoryStorage(), ({ method, args }) =>
      /append|insert|transaction/.test(method) && JSON.stringify(args).includes('"turns"') ? "fail-before" : undefined,
    );
    const { team } = teamOf({ storage, onStorageFailure });

    expect(await team.run("Hi").catch((error: unknown) => error)).toMatchObject(expected);
  });
});
