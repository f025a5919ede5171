import { checkOwners, principals, usersOfAll } from "@troupe-internal/fault-tools";
import { Agent, createLogger, defineTool, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { SessionOwner, StorageDriver } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { SqliteStorage } from "@troupe/storage-sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";

type User = SessionOwner & { userId: string };
type Services = ConstructorParameters<typeof RunService>[0];

const storages: [name: string, create: () => StorageDriver | undefined][] = [
  ["memory", () => undefined],
  ["InMemoryStorage", () => new InMemoryStorage()],
  ["SqliteStorage", () => new SqliteStorage(":memory:")],
];

/** Makes a service whose runs stay queued: it performs none. */
function makeService(options: Services = {}): RunService {
  const agent = new Agent({
    name: "a",
    model: new ScriptedModel().respond(() => "Yes."),
  });
  const service = new RunService({ agents: { a: agent }, logger: createLogger({ level: "silent" }), ...options });
  onTestFinished(async () => await service.close());
  return service;
}

function scheduling(service: RunService) {
  return { schedules: service.schedules, forgetUser: async (owner: User) => await service.forgetUser(owner) };
}

/** The runs of one service, by the marks that their owners have left. */
class OwnedRuns {
  readonly service: RunService;
  readonly #ids = new Map<string, string>();

  constructor(service: RunService) {
    this.service = service;
  }

  readonly leave = async (owner: User, mark: string): Promise<void> => {
    const options = { sessionId: "s" };
    const { runId } = await this.service.accept({ kind: "agent", name: "a", input: mark, owner, options });
    this.#ids.set(mark, runId);
  };

  /** Returns the marks of the runs by whose ids a call is answered. */
  async reachedBy(call: (runId: string) => Promise<unknown>): Promise<string[]> {
    const marks: string[] = [];
    for (const [mark, runId] of this.#ids) {
      const isReached = await call(runId).then(
        () => true,
        (error: unknown) => !(error instanceof Error && /^Run ".*" not found/.test(error.message)),
      );
      if (isReached) marks.push(mark);
    }
    return marks;
  }

  markOf(runId: string | undefined): string[] {
    return [...this.#ids].filter(([, id]) => id === runId).map(([mark]) => mark);
  }
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
