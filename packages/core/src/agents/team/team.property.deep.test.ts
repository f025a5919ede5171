import fc from "fast-check";
import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { RunError, RunOutput } from "../run/run-output.ts";
import { addUsage, noUsage } from "../../base/message/token-usage.ts";
import type { TokenUsage } from "../../base/message/token-usage.ts";
import { buildTeam, mustFail, randomTeam } from "./test/random-teams.ts";
import type { Built } from "./test/random-teams.ts";
import type { Team } from "./team.ts";
import { billed } from "./test/teams.ts";

const numRuns = { few: 10, many: 300 }[inject("trials")];

type End = { output: RunOutput; failure?: RunError };

async function endOf(run: Promise<RunOutput>): Promise<End> {
  return await run.then(
    (output) => ({ output }),
    (failure: RunError) => ({ output: failure.output, failure }),
  );
}

/** The names of the ends that the bus tells, by run. */
function endsOf({ eventBus }: Team): Map<string, string[]> {
  const ends = new Map<string, string[]>();
  const note = (runId: string, name: string) => void ends.set(runId, [...(ends.get(runId) ?? []), name]);
  eventBus.on("run.start", ({ runId }) => void ends.set(runId, []));
  eventBus.on("run.complete", ({ runId }) => note(runId, "complete"));
  eventBus.on("run.error", ({ runId }) => note(runId, "error"));
  return ends;
}

function expectNobodyListens({ runnables }: Built): void {
  for (const { eventBus } of runnables) expect(eventBus.has("run.start")).toBe(false);
}

describe("any team of teams", () => {
  it("fails when its members do, and counts all usage, which its model.result events add up to [events.model-usage]", async () => {
    await fc.assert(
      fc.asyncProperty(randomTeam, fc.boolean(), async (plan, streams) => {
        const built = buildTeam(plan);
        const ends = endsOf(built.runnable);
        const usages: TokenUsage[] = [];
        built.runnable.eventBus.on("model.result", ({ usage }) => void usages.push(usage ?? noUsage));
        const { output, failure } = await endOf(streams ? built.runnable.stream("?").output : built.runnable.run("?"));

        expect(failure !== undefined).toBe(mustFail(plan));
        expect(failure === undefined || (TroupeError.is(failure) && failure.code === "internal")).toBe(true);
        expect(output.usage).toEqual(billed(...built.models));
        expect(usages.reduce(addUsage, noUsage)).toEqual(output.usage);
        expect([...ends.values()].every((each) => each.length === 1)).toBe(true);
        expect(ends.get(output.runId ?? "")).toEqual([failure === undefined ? "complete" : "error"]);
        expectNobodyListens(built);
      }),
      { numRuns },
    );
  });

  it("records for each delegation whether it failed", async () => {
    await fc.assert(
      fc.asyncProperty(randomTeam, async (plan) => {
        const { output } = await endOf(buildTeam(plan).runnable.run("?"));
        // In `route` the calls of the member that was picked follow its own.
        const calls = plan.mode === "route" ? output.toolCalls.slice(0, 1) : output.toolCalls;
        const delegations = calls.filter(({ args }) => args["vote"] !== true);

        for (const { toolName, error } of delegations) {
          const index = Number(/^delegate_to_m(\d)$/.exec(toolName)?.[1]);
          const member = plan.members[index];
          expect(error !== undefined).toBe(member !== undefined && mustFail(member));
        }
        expect(new Set(delegations.map(({ toolName }) => toolName)).size).toBeGreaterThan(0);
      }),
      { numRuns },
    );
  });

  it("ends at once when it is cancelled at any moment, and leaves nothing running", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await fc.assert(
      fc.asyncProperty(randomTeam, fc.nat(6), async (plan, afterMs) => {
        const built = buildTeam(plan);
        const abort = new AbortController();
        const run = endOf(built.runnable.run("?", { signal: abort.signal }));
        await vi.advanceTimersByTimeAsync(afterMs);
        abort.abort();
        const calls = built.models.flatMap((model) => model.calls);
        const { failure } = await run;
        await vi.advanceTimersByTimeAsync(1000);

        const after = built.models.flatMap((model) => model.calls);
        expect(failure?.code !== "cancelled" || after.length === calls.length).toBe(true);
        expect(after.every(({ end }) => end !== "running")).toBe(true);
        expectNobodyListens(built);
      }),
      { numRuns },
    );
  });
});
