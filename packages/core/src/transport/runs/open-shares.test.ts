import { describe, expect, it } from "vitest";
import { signedIn as users } from "../../sessions/storage/test/owners.ts";
import type { AnyRequestedRun, RunAcceptance, StoredTerms } from "./accept-requested-run.ts";
import { OpenShares } from "./open-shares.ts";

/** Shares of 20 runs for each user, and a function that opens one more. */
function openShares() {
  const shares = new OpenShares(200);
  const over = Promise.withResolvers<void>();
  const open = async (opts: object): Promise<boolean> =>
    await shares
      .accept({ opts } as AnyRequestedRun, {} as StoredTerms, async (target) => {
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

async function openAll(open: (opts: object) => Promise<boolean>, opts: object, most = 100): Promise<number> {
  let opened = 0;
  while (opened < most && (await open(opts))) opened += 1;
  return opened;
}

describe("the open runs that a process stores", () => {
  it("are counted for each user in its tenant, and given back when they are over", async () => {
    const { open, end } = openShares();
    for (const user of users) expect(await openAll(open, user)).toBe(20);
    for (const user of users) expect(await open(user)).toBe(false);
    end();
    await new Promise(setImmediate);

    for (const user of users) expect(await open(user)).toBe(true);
  });

  it.each<[how: string, end: (target: StoredTerms) => Promise<object>]>([
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
    const store = async (begin: (target: StoredTerms) => Promise<object>) =>
      await shares.accept({ opts: user } as AnyRequestedRun, {} as StoredTerms, begin as never).catch(String);
    const stay = async (target: StoredTerms) => {
      await target.beforeStored?.();
      return { isNew: true, over: over.promise };
    };
    for (let count = 0; count < 19; count++) await store(stay);
    for (let count = 0; count < 3; count++) await store(end);
    await new Promise(setImmediate);

    expect(await store(stay)).toMatchObject({ isNew: true });
    expect(await store(stay)).toContain("This user has 20 open runs");
  });

  it("the open runs that a process stores of users who are only claimed are counted together, in a tenth", async () => {
    const { open } = openShares();
    expect(await openAll(open, { userId: "ada" })).toBe(20);
    const opened = [];
    for (const user of users) opened.push(await openAll(open, { ...user, verified: false }));

    expect(opened).toEqual([20, 0, 0, 0, 0]);
  });

  it("are counted by address where callers have no user, and the whole is theirs where no address is known", async () => {
    const openFrom = async (address?: string) => {
      const shares = new OpenShares(200);
      const openOne = async (from = address) =>
        await shares.accept({ opts: {}, address: from } as AnyRequestedRun, {} as StoredTerms, stayOpen).then(
          () => "open",
          (error: Error) => error.message,
        );
      const opened = [];
      while (opened.length < 300 && opened.at(-1)?.includes("limit") !== true) opened.push(await openOne());
      return [opened.length - 1, opened.at(-1), await openOne("203.0.113.10")];
    };
    const ofAddress = "This address has 20 open runs, which is the limit. Wait for one to end, or sign in.";
    const ofAll = "Callers without a user have 200 open runs, which is the limit. Try again later, or sign in.";

    expect(await openFrom("203.0.113.9")).toEqual([20, ofAddress, "open"]);
    expect(await openFrom()).toEqual([200, ofAll, ofAll]);
  });

  it("are 1000 of all users and 100 of one where the transport has no other number", async () => {
    const shares = new OpenShares();
    const openOne = async (userId: string) =>
      await shares.accept({ opts: { userId } } as AnyRequestedRun, {} as StoredTerms, stayOpen).then(
        () => true,
        (error: unknown) => {
          expect(error).toMatchObject({ code: "rate_limited", fields: { retryAfterMs: 1000 } });
          return false;
        },
      );
    const opened = [];
    for (let user = 0; user < 11; user++) opened.push(await openAll(async () => await openOne(`u${user}`), {}, 101));

    expect(opened).toEqual([...Array<number>(10).fill(100), 0]);
  });

  it("take their place before the transport's own check is waited for, and give it back if that refuses", async () => {
    const shares = new OpenShares(1);
    const refusal = new Error("The files are gone.");
    const checks: PromiseWithResolvers<void>[] = [];
    const beforeStored = async () => {
      const check = Promise.withResolvers<void>();
      checks.push(check);
      await check.promise;
    };
    const accept = async () =>
      await shares.accept({ opts: { userId: "ada" } } as AnyRequestedRun, { beforeStored } as StoredTerms, stayOpen);

    const first = accept();
    const waits = new Promise((resolve) => void setImmediate(resolve, "waits for the check"));
    const other = accept().catch((error: unknown) => error);
    expect(await Promise.race([other, waits])).toMatchObject({ code: "rate_limited" });
    checks[0]?.reject(refusal);
    await expect(first).rejects.toBe(refusal);
    const second = accept();
    expect(checks).toHaveLength(2);
    checks[1]?.resolve();
    expect(await second).toMatchObject({ runId: "r" });
  });

  it("are asked for with all that the transport has chosen, and with nothing but the check added", async () => {
    const target = { kind: "agent", name: "a", service: {}, isDurable: false, key: "k", note: "n", ttlMs: 5 };
    const given: StoredTerms[] = [];
    await new OpenShares(1).accept({ opts: {} } as AnyRequestedRun, target as never, async (bounded) => {
      given.push(bounded);
      return await stayOpen(bounded);
    });

    expect(given).toEqual([{ ...target, beforeStored: expect.any(Function) }]);
  });
});

/** Accepts a run that is never over. */
async function stayOpen(target: StoredTerms): Promise<RunAcceptance> {
  await target.beforeStored?.();
  return { runId: "r", sessionId: "s", isNew: true, over: new Promise(() => {}) };
}
