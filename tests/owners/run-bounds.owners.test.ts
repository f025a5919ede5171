import { checkOwners, principals } from "@troupe-internal/fault-tools";
import { Agent, defineTool } from "@troupe/core";
import type { RunService } from "@troupe/core/runs";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { makeService, storages } from "./owned-runs.ts";
import type { User } from "./owned-runs.ts";

describe.each(storages)("each of several owners finds its own runs and nothing else, in %s", (_, create) => {
  it("counted for its own bound of open runs, by the process that accepted them and by the next", async () => {
    const storage = create();
    const options = { storage, admission: { perCaller: 2 } };
    const service = makeService(options);
    const accept = async (target: RunService, owner: User): Promise<boolean> =>
      await target.accept({ kind: "agent", name: "a", input: "Hello.", owner, notBefore: Date.now() + 600_000 }).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: "rate_limited" });
          return false;
        },
      );
    const taken = new Map<User, string>();
    await checkOwners({
      shows: [
        "packages/core/src/runs/processes/admission.ts",
        "packages/core/src/runs/service/accept-run.ts",
        "packages/core/src/sessions/session/caller-holdings.ts",
        "packages/core/src/sessions/session/counted-caller.ts",
        "packages/core/src/runs/record/run-record.ts",
        "packages/core/src/runs/record/open-runs.ts",
      ],
      owners: principals,
      leave: async (owner, mark) => {
        expect([await accept(service, owner), await accept(service, owner)]).toEqual([true, true]);
        taken.set(owner, mark);
      },
      find: async (owner) => ((await accept(service, owner)) ? [] : [taken.get(owner) ?? ""]),
    });
    if (storage === undefined) return;
    await service.close();
    const next = makeService(options);
    await next.serve();
    const newcomer = { userId: "ada", tenantId: "another" };
    await expect.poll(async () => await accept(next, principals[0])).toBe(false);
    for (const owner of principals) expect(await accept(next, owner)).toBe(false);
    expect([await accept(next, newcomer), await accept(next, newcomer)]).toEqual([true, true]);
  });
});

it.each(storages)("runs of each owner that wait for an answer count for its own bound, in %s", async (_, create) => {
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    parameters: { type: "object" },
    needsApproval: true,
    execute: () => "Paid.",
  });
  const model = new ScriptedModel().respond(() => ({ toolCalls: [{ name: "pay" }] }));
  const service = makeService({
    agents: { a: new Agent({ name: "a", model, tools: [pay] }) },
    storage: create(),
    admission: { perCaller: 2 },
  });
  await service.serve();
  const accept = async (owner: User): Promise<string | undefined> =>
    await service.accept({ kind: "agent", name: "a", input: "Pay.", owner }).then(
      ({ runId }) => runId,
      (error: unknown) => {
        expect(error).toMatchObject({ code: "rate_limited" });
        return undefined;
      },
    );
  const taken = new Map<User, string>();
  await checkOwners({
    shows: ["packages/core/src/runs/performer/run-ends.ts", "packages/core/src/runs/record/run-record.ts"],
    owners: principals,
    leave: async (owner, mark) => {
      for (const runId of [await accept(owner), await accept(owner)]) {
        await vi.waitFor(async () => expect((await service.get(runId ?? "", owner)).status).toBe("waiting"));
      }
      taken.set(owner, mark);
    },
    find: async (owner) => ((await accept(owner)) === undefined ? [taken.get(owner) ?? ""] : []),
  });
});

it("runs in memory: those of each owner take bytes of its own share alone", async () => {
  const service = makeService({ retention: { maxBytes: 1_000_000 }, admission: { perCaller: 100 } });
  const accept = async (owner: User): Promise<boolean> => {
    const input = "x".repeat(130_000);
    const local = { input };
    return await service.accept({ kind: "agent", name: "a", input: "Long.", owner, local }).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({
          code: "rate_limited",
          message: expect.stringMatching(/^This user has 250000 bytes/),
        });
        return false;
      },
    );
  };
  const left = new Map<User, string>();
  await checkOwners({
    shows: ["packages/core/src/runs/readers/memory-runs.ts"],
    owners: principals.slice(0, 3),
    leave: async (owner, mark) => {
      expect([await accept(owner), await accept(owner)]).toEqual([true, true]);
      left.set(owner, mark);
    },
    find: async (owner) => ((await accept(owner)) ? [] : [left.get(owner) ?? ""]),
  });
});
