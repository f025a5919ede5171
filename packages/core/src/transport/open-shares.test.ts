import { describe, expect, it } from "vitest";
import { signedIn as users } from "../sessions/storage/test/owners.ts";
import type { AnyRequestedRun, RunTarget } from "./accept-requested-run.ts";
import { OpenShares } from "./open-shares.ts";

/** Shares of 20 runs for each user, and a function that keeps one more open. */
function openShares() {
  const shares = new OpenShares(200);
  const over = Promise.withResolvers<void>();
  const open = async (opts: object): Promise<boolean> =>
    await shares
      .accept({ opts } as AnyRequestedRun, {} as RunTarget, async (target) => {
        await target.beforeStored?.();
        return { over: over.promise } as never;
      })
      .then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: "rate_limited", fields: { limit: 20 } });
          return false;
        },
      );
  return { open, end: over.resolve };
}

async function openAll(open: (opts: object) => Promise<boolean>, opts: object): Promise<number> {
  let opened = 0;
  while (opened < 100 && (await open(opts))) opened += 1;
  return opened;
}

describe("the open runs that a process keeps", () => {
  it("are counted for each user in its tenant, and given back when they are over", async () => {
    const { open, end } = openShares();
    for (const user of users) expect(await openAll(open, user)).toBe(20);
    for (const user of users) expect(await open(user)).toBe(false);
    end();
    await new Promise(setImmediate);

    for (const user of users) expect(await open(user)).toBe(true);
  });

  it.each<[how: string, end: (target: RunTarget) => Promise<object>]>([
    ["found again by its key, without a place of its own", async () => ({ isNew: false })],
    [
      "found again after it took a place",
      async (target) => {
        await target.beforeStored?.();
        return { isNew: false };
      },
    ],
    ["refused before it takes a place", async () => await Promise.reject(new Error("Wrong input."))],
    [
      "not stored",
      async (target) => {
        await target.beforeStored?.();
        throw new Error("The storage is down.");
      },
    ],
    [
      "over at once",
      async (target) => {
        await target.beforeStored?.();
        return { isNew: true, over: Promise.resolve() };
      },
    ],
  ])("give back the place of a run that is %s, and no other place", async (_how, end) => {
    const shares = new OpenShares(200);
    const over = Promise.withResolvers<void>();
    const user = { userId: "ada", verified: true };
    const keep = async (begin: (target: RunTarget) => Promise<object>) =>
      await shares.accept({ opts: user } as AnyRequestedRun, {} as RunTarget, begin as never).catch(String);
    const stay = async (target: RunTarget) => {
      await target.beforeStored?.();
      return { isNew: true, over: over.promise };
    };
    for (let count = 0; count < 19; count++) await keep(stay);
    for (let count = 0; count < 3; count++) await keep(end);
    await new Promise(setImmediate);

    expect(await keep(stay)).toMatchObject({ isNew: true });
    expect(await keep(stay)).toContain("This user has 20 open runs");
  });

  it("of users who are only claimed are counted together, in a tenth", async () => {
    const { open } = openShares();
    expect(await openAll(open, { userId: "ada" })).toBe(20);
    const opened = [];
    for (const user of users) opened.push(await openAll(open, { ...user, verified: false }));

    expect(opened).toEqual([20, 0, 0, 0, 0]);
  });
});
