import { checkOwners, usersOfAll } from "@troupe-internal/fault-tools";
import type { RunService } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { OwnedRuns, makeService, storages } from "./owned-runs.ts";
import type { User } from "./owned-runs.ts";

function scheduling(service: RunService) {
  return { schedules: service.schedules, forgetUser: async (owner: User) => await service.forgetUser(owner) };
}

type Way = (runs: OwnedRuns, owner: User) => Promise<readonly string[]>;

const ways: [name: string, Way][] = [
  ["by their ids", (runs, owner) => runs.reachedBy((id) => runs.service.get(id, owner))],
  [
    "by the list",
    async (runs, owner) => (await runs.service.list(owner)).runs.flatMap(({ runId }) => runs.markOf(runId)),
  ],
  [
    "by the list of a status",
    async (runs, owner) => {
      const { runs: found } = await runs.service.list(owner, { status: "queued" });
      return found.flatMap(({ runId }) => runs.markOf(runId));
    },
  ],
  ["by their session", async (runs, owner) => runs.markOf((await runs.service.runOfSession("s", owner))?.runId)],
  ["by their inputs", (runs, owner) => runs.reachedBy((id) => runs.service.readInput(id, owner))],
  ["by their events", (runs, owner) => runs.reachedBy((id) => Array.fromAsync(runs.service.storedEvents(id, owner)))],
  ["by their waits", (runs, owner) => runs.reachedBy((id) => runs.service.getWait(id, "w", owner))],
  ["by an answer", (runs, owner) => runs.reachedBy((id) => runs.service.answer(id, "w", "yes", owner))],
  ["by a signal", (runs, owner) => runs.reachedBy((id) => runs.service.signal(id, "paid", 1, owner))],
  ["by their notes", (runs, owner) => runs.reachedBy((id) => runs.service.changeNote(id, owner, () => "note"))],
  [
    "by the deliveries of their webhooks",
    (runs, owner) => runs.reachedBy((id) => runs.service.webhooks.deliveries(id, owner)),
  ],
  ["by subscriptions", (runs, owner) => runs.reachedBy((id) => runs.service.webhooks.subscriptions.list(id, owner))],
  [
    "by the end of a subscription",
    (runs, owner) => runs.reachedBy((id) => runs.service.webhooks.subscriptions.delete(id, owner, "x")),
  ],
];

describe.each(storages)("each of several owners finds its own runs and nothing else, in %s", (_, create) => {
  it.each(ways)("%s, until it is forgotten", async (...[, find]) => {
    const runs = new OwnedRuns(makeService({ storage: create() }));
    await checkOwners({
      shows: [
        "packages/core/src/runs/record/find-runs.ts",
        "packages/core/src/runs/record/list-runs.ts",
        "packages/core/src/runs/record/run-keys.ts",
        "packages/core/src/runs/record/run-record.ts",
        "packages/core/src/runs/record/run-store.ts",
        "packages/core/src/runs/service/run-service.ts",
        "packages/core/src/runs/webhooks/subscriptions.ts",
        "packages/core/src/runs/service/run-removal.ts",
      ],
      owners: usersOfAll,
      leave: runs.leave,
      find: async (owner) => await find(runs, owner),
      remove: async (owner) => await runs.service.forgetUser(owner),
    });
  });

  it("each owner finds its runs in its session, until the session is forgotten", async () => {
    const runs = new OwnedRuns(makeService({ storage: create() }));
    await checkOwners({
      shows: ["packages/core/src/runs/service/run-removal.ts", "packages/core/src/sessions/session/session-keys.ts"],
      owners: usersOfAll,
      leave: runs.leave,
      find: async (owner) => await runs.reachedBy((id) => runs.service.get(id, owner)),
      remove: async (owner) => await runs.service.forgetSession("s", owner),
    });
  });

  it.each(["cancel", "delete"] as const)("each owner can %s only its own runs", async (call) => {
    const runs = new OwnedRuns(makeService({ storage: create() }));
    await checkOwners({
      shows: ["packages/core/src/runs/record/find-runs.ts"],
      owners: usersOfAll,
      leave: runs.leave,
      // What has ended or gone belongs to who ended it.
      find: async (owner) => {
        const before = await runs.reachedBy((id) => runs.service.get(id, "host"));
        return (await runs.reachedBy((id) => runs.service[call](id, owner))).filter((mark) => before.includes(mark));
      },
    });
  });

  it("among schedules, and can change and remove no other's, until it is forgotten", async () => {
    const { schedules, forgetUser } = scheduling(makeService({ storage: create() }));
    const marks = new Map<string, string>();
    const reachedBy = async (call: (id: string) => Promise<unknown>) => {
      const found: string[] = [];
      for (const [id, mark] of marks) {
        await call(id).then(
          () => found.push(mark),
          (error: unknown) => expect(error).toMatchObject({ code: "not_found" }),
        );
      }
      return found;
    };
    await checkOwners({
      shows: [
        "packages/core/src/runs/schedules/schedule-store.ts",
        "packages/core/src/runs/service/run-schedules.ts",
        "packages/core/src/runs/service/read-schedule.ts",
      ],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        const id = `schedule ${marks.size}`;
        await schedules.put({ id, everyMs: 5000, request: { kind: "agent", name: "a", input: mark } }, owner);
        marks.set(id, mark);
      },
      find: async (owner) => {
        const found = await reachedBy(async (id) => await schedules.get(id, owner));
        expect(await reachedBy(async (id) => await schedules.pause(id, owner))).toEqual(found);
        expect((await schedules.list(owner)).map(({ id }) => marks.get(id))).toEqual(found);
        return found;
      },
      remove: forgetUser,
    });
  });

  it("each owner finds its own run by a repeated request with the same idempotency key", async () => {
    const service = makeService({ storage: create() });
    const marks = new Map<string, string>();
    const ask = async (owner: User, mustExist: boolean): Promise<string> => {
      const same = { kind: "agent", name: "a", input: "Same.", idempotencyKey: "k" } as const;
      return (await service.accept({ ...same, owner, mustExist })).runId;
    };
    await checkOwners({
      shows: ["packages/core/src/runs/service/accept-request.ts"],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        const runId = await ask(owner, false);
        expect(marks.has(runId)).toBe(false);
        marks.set(runId, mark);
      },
      find: async (owner) => [marks.get(await ask(owner, true)) ?? "nothing"],
    });
  });
});
