import { afterEach, describe, expect, it, vi } from "vitest";
import { Agent } from "../agent/agent.ts";
import { ModelError } from "../../base/errors/model-error.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunError } from "../run/run-output.ts";
import type { RunEvents } from "../run/run-events.ts";
import type { Runnable } from "../run/runnable.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";
import type { TeamMode } from "./team-config.ts";
import { delegate, lastSaid, memberTurns, member, orchestratorTurns, pick, sayer } from "./test/teams.ts";

const broken = (): ScriptedAnswer => ({ error: new ModelError({ providerId: "scripted", status: 500 }) });
const together: readonly TeamMode[] = ["coordinate", "broadcast", "collaborate"];
const noRetry = { retry: { maxRetries: 0 } };

afterEach(() => void vi.useRealTimers());

/** A team of `ann`, who plays these turns, and of `bob`, who always has something to say. */
function teamWith(mode: TeamMode, ann: Runnable, limits = {}) {
  const model = new ScriptedModel(...orchestratorTurns(mode));
  const bob = member("bob", memberTurns(mode, "from bob"));
  return { team: new Team({ name: "team", mode, model, members: [ann, bob.agent], limits }), model, bob };
}

describe.each(together)("a team of mode %s", (mode) => {
  it("goes on without a member that fails, and records the error of its call", async () => {
    const ann = sayer("ann", broken(), noRetry);
    const { team, model } = teamWith(mode, ann.agent);
    const { text, toolCalls, status } = await team.run("?");

    expect({ text, status }).toEqual({ text: "done", status: "completed" });
    expect(toolCalls.map(({ toolName, error }) => [toolName, error])).toEqual([
      ["delegate_to_ann", expect.stringMatching(/failed/)],
      ["delegate_to_bob", undefined],
    ]);
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toMatch(/from bob/);
    expect(JSON.stringify(model.calls.at(-1)?.messages)).toMatch(/delegate_to_ann failed/);
  });

  it("goes on without a member that hangs, and answers in time", async () => {
    vi.useFakeTimers();
    const ann = new Agent({ name: "ann", model: new ScriptedModel({ hang: true }) });
    const { team } = teamWith(mode, ann, { durationMs: 1000 });
    const run = team.run("?");
    await vi.advanceTimersByTimeAsync(1000);

    expect((await run).toolCalls[0]?.error).toMatch(/took longer than/);
  });

  it("gets the answer of a team within it in time although a member of that team hangs", async () => {
    vi.useFakeTimers();
    const idle = new Agent({ name: "idle", model: new ScriptedModel({ hang: true }) });
    const ann = new Team({
      name: "ann",
      mode: "broadcast",
      model: new ScriptedModel().respond(() => "from ann's team"),
      members: [idle, sayer("zoe", "fine").agent],
    });
    const { team } = teamWith(mode, ann, { durationMs: 1000 });
    const run = team.run("?");
    await vi.advanceTimersByTimeAsync(1000);

    expect((await run).toolCalls.find(({ toolName }) => toolName === "delegate_to_ann")?.error).toBeUndefined();
  });

  it("goes on without a member that hangs and ignores its signal", async () => {
    vi.useFakeTimers();
    const deaf: Runnable = {
      name: "ann",
      kind: "remote",
      eventBus: new EventBus(),
      run: () => new Promise(() => undefined),
      stream: () => {
        throw new Error("It does not stream.");
      },
    };
    const { team } = teamWith(mode, deaf, { durationMs: 1000 });
    const run = team.run("?");
    await vi.advanceTimersByTimeAsync(1000);

    expect(await run).toMatchObject({ text: "done", status: "completed" });
  });

  it("waits for a slow member", async () => {
    vi.useFakeTimers();
    const ann = sayer("ann", { text: "from ann", delayMs: 300_000 });
    const { team } = teamWith(mode, ann.agent);
    const run = team.run("?");
    await vi.advanceTimersByTimeAsync(600_000);

    expect((await run).toolCalls[0]).toMatchObject({ result: "from ann" });
  });

  it("fails with the members' error code when all fail, without another call of its model", async () => {
    const model = new ScriptedModel(...orchestratorTurns(mode)).respond(() => "SECRET");
    const members = ["ann", "bob"].map((name) => sayer(name, broken(), noRetry).agent);
    const failure = new Team({ name: "team", mode, model, members }).run("?");

    await expect(failure).rejects.toMatchObject({ code: "model_failed", output: { toolCalls: { length: 2 } } });
    await expect(failure).rejects.toThrow(/^All members of the team failed/);
    expect(model.calls).toHaveLength(mode === "coordinate" ? 1 : 0);
  });

  it("shows no text that a member's error quotes", async () => {
    for (const error of [new Error("prompt: SECRET"), new TroupeError("invalid_config", "path: SECRET")]) {
      const { team } = teamWith(mode, sayer("ann", { error }).agent);

      expect(JSON.stringify(await team.run("?"))).not.toContain("SECRET");
    }
  });

  it("is not cancelled when a member is", async () => {
    const cancelled = { name: "ann", kind: "agent" as const, eventBus: new EventBus<RunEvents>() };
    const error = Object.assign(new Error("stopped"), { name: "AbortError" });
    const ann: Runnable = {
      ...cancelled,
      run: async () => await Promise.reject(error),
      stream: () => {
        throw error;
      },
    };
    const alone = new Team({ name: "team", mode, model: new ScriptedModel(delegate("ann")), members: [ann] });

    await expect(alone.run("?")).rejects.toMatchObject({ code: "model_failed" });
  });
});

describe("a team that coordinates", () => {
  it("answers when a member without a delegation is left", async () => {
    const model = new ScriptedModel(delegate("ann"), "I cannot say.");
    const members = [sayer("ann", broken(), noRetry).agent, sayer("bob", "fine").agent];

    expect((await new Team({ name: "team", mode: "coordinate", model, members }).run("?")).text).toBe("I cannot say.");
  });

  it("does not count wrong calls of the orchestrator as failures of members", async () => {
    const wrong = { toolCalls: [{ name: "delegate_to_ann", arguments: { tsk: "?" } }, { name: "delegate_to_nobody" }] };
    const ann = sayer("ann", "fine");
    const model = new ScriptedModel(wrong, "done");
    const output = await new Team({ name: "team", mode: "coordinate", model, members: [ann.agent] }).run("?");

    expect(output.text).toBe("done");
    expect(ann.model.calls).toEqual([]);
  });
});

describe("a team that routes", () => {
  it("fails with its member's error and the output up to that point", async () => {
    const ann = sayer("ann", { text: ["half ", "an answer"], ...(broken() as object) }, noRetry);
    const members = [ann.agent, sayer("bob", "fine").agent];
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(pick("ann")), members });
    const failure = team.stream("?").output;

    await expect(failure).rejects.toMatchObject({
      code: "model_failed",
      output: { text: "half an answer", toolCalls: [{ toolName: "delegate_to_ann", error: expect.any(String) }] },
    });
  });
});

describe("the recorded call of a team that routes", () => {
  it("shows no text that a member's error quotes", async () => {
    const ann = sayer("ann", { error: new TroupeError("invalid_config", "path: SECRET") });
    const failure = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [ann.agent] }).run(
      "?",
    );
    const output = await failure.catch((error: RunError) => error.output);

    expect(output.toolCalls).toHaveLength(1);
    expect(JSON.stringify(output)).not.toContain("SECRET");
  });
});

describe("a team that discusses", () => {
  it("runs a failed member again in the next round", async () => {
    const objects = { structured: { agree: false } };
    const carl = member("carl", ["c1", objects, "c2"]);
    const ann = member("ann", [broken(), "a2"], noRetry);
    const bob = member("bob", ["b1", objects, "b2"]);
    const members = [ann.agent, bob.agent, carl.agent];
    const model = new ScriptedModel("done");
    await new Team({ name: "team", mode: "collaborate", model, members, maxRounds: 2 }).run("?");

    expect(lastSaid(model)[0]).toMatch(/Round 1: ann\n\n[^]*failed[^]*Round 2: ann\n\na2/);
  });
});
