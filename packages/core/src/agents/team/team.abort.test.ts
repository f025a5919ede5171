import { letRun } from "@troupe-internal/interleavings";
import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { until } from "../../testing/conformance/assert.ts";
import { Team } from "./team.ts";
import { allModes, delegate, pick } from "./test/teams.ts";
import type { TeamMode } from "./team-config.ts";

function hangingTeam(mode: TeamMode) {
  const models = ["ann", "bob"].map(() => new ScriptedModel({ hang: true }).respond(() => "late"));
  const members = models.map((model, index) => new Agent({ name: ["ann", "bob"][index] ?? "", model }));
  const model = new ScriptedModel(
    ...(mode === "coordinate" ? [delegate("ann", "bob")] : []),
    ...(mode === "route" ? [pick("ann")] : []),
  );
  const asked = mode === "route" ? models.slice(0, 1) : models;
  return { team: new Team({ name: "team", mode, model, members }), model, models, asked };
}

describe.each(allModes)("a team of mode %s that is cancelled", (mode) => {
  it("aborts the signal of every member at once, and calls no model afterwards", async () => {
    for (const start of ["run", "stream"] as const) {
      const { team, model, models, asked } = hangingTeam(mode);
      const results: unknown[] = [];
      team.eventBus.on("tool.result", (data) => void results.push(data));
      const abort = new AbortController();
      const options = { signal: abort.signal };
      const end = start === "run" ? team.run("?", options) : team.stream("?", options).output;
      end.catch(() => undefined);
      await until(() => asked.every(({ calls }) => calls.length === 1));
      const calls = [model, ...models].map((each) => each.calls.length);
      abort.abort();

      expect(asked.map((each) => each.calls[0]?.options.signal?.aborted)).toEqual(asked.map(() => true));
      await expect(end).rejects.toMatchObject({ code: "cancelled" });
      await letRun();
      expect([model, ...models].map((each) => each.calls.length)).toEqual(calls);
      expect(asked.map((each) => each.calls[0]?.end)).toEqual(asked.map(() => "cancelled"));
      expect(results).toEqual([]);
    }
  });

  it("runs no member when it was cancelled before it began", async () => {
    const { team, models } = hangingTeam(mode);

    await expect(team.run("?", { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "cancelled" });
    expect(models.flatMap(({ calls }) => calls)).toEqual([]);
  });

  it("aborts members of members too", async () => {
    const { team, asked } = hangingTeam(mode);
    const outer = new Team({ name: "outer", mode: "route", model: new ScriptedModel(), members: [team] });
    const stream = outer.stream("?");
    const end = stream.output.catch((error: unknown) => error);
    await until(() => asked.every(({ calls }) => calls.length === 1));
    stream.cancel();

    expect(asked.map((each) => each.calls[0]?.options.signal?.aborted)).toEqual(asked.map(() => true));
    expect(await end).toMatchObject({ code: "cancelled" });
  });
});
