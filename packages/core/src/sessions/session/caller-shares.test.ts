import { describe, expect, it } from "vitest";
import { CallerHoldings } from "./caller-holdings.ts";
import { CallerShares, shareRefused } from "./caller-shares.ts";
import type { CallerBounds } from "./caller-shares.ts";
import { countedCaller, hostCaller } from "./counted-caller.ts";
import type { CountedCaller } from "./counted-caller.ts";

const ada = countedCaller({ userId: "ada" });
const nobody = countedCaller({});
const at = (address: string) => countedCaller({}, address);

/** Lets a caller take as much as its share has room for, and returns how much that is. */
function taker(bounds: CallerBounds) {
  const [shares, holdings] = [new CallerShares(bounds), new CallerHoldings()];
  let last = 0;
  return (caller: CountedCaller): number => {
    let taken = 0;
    while (shares.fullOf(caller, holdings.of(caller)) === undefined) {
      holdings.set(String(++last), caller);
      taken++;
    }
    return taken;
  };
}

describe("CallerShares", () => {
  it("gives callers without a user all of a bound where no user comes", () => {
    expect(taker({ total: 50, perCaller: 5 })(nobody)).toBe(50);
  });

  it("gives callers without a user a tenth beside users, and at least one", () => {
    for (const [total, tenth] of [
      [50, 5],
      [59, 5],
      [3, 1],
    ] as const) {
      const take = taker({ total, perCaller: 2 });
      expect([take(ada), take(nobody)]).toEqual([2, tenth]);
      expect(taker({ total, perCaller: 2, hasUsers: true })(nobody)).toBe(tenth);
    }
  });

  it("does not count what callers without a user hold against users", () => {
    const take = taker({ total: 5, perCaller: 3 });
    expect([
      take(nobody),
      take(ada),
      take(countedCaller({ userId: "bob" })),
      take(countedCaller({ userId: "eve" })),
    ]).toEqual([5, 3, 2, 0]);
  });

  it("counts each address apart within the share of all callers without a user", () => {
    const take = taker({ total: 100, perCaller: 4 });
    take(ada);
    expect([take(at("192.0.2.1")), take(at("192.0.2.2")), take(at("192.0.2.3"))]).toEqual([4, 4, 2]);
  });

  it("says in its error whose bound it is, which, and how to mend it", () => {
    const shares = new CallerShares({ total: 2, perCaller: 1 });
    const refused = (caller: CountedCaller, own: number, together: number) => {
      const full = shares.fullOf(caller, { own, together });
      return full && shareRefused(full, "open runs");
    };
    expect(refused(ada, 0, 1)).toBeUndefined();
    expect(refused(ada, 1, 1)).toMatchObject({
      code: "rate_limited",
      message: "This user has 1 open runs, which is the limit. Wait for one to end, or cancel one.",
      fields: { limit: 1, retryAfterMs: 1000 },
    });
    expect(refused(ada, 0, 2)?.message).toMatch(/^All users together have 2 open runs.*Try again later/);
    expect(refused(at("192.0.2.1"), 1, 1)?.message).toMatch(/^This address has 1 open runs/);
    expect(refused(nobody, 1, 1)?.message).toMatch(/^Callers without a user have 1 open runs.*or sign in/);
  });
});

it.each([
  ["user", "This user has 3 open runs, which is the limit. Wait for one to end, or cancel one."],
  ["users", "All users together have 3 open runs, which is the limit. Try again later."],
  ["address", "This address has 3 open runs, which is the limit. Wait for one to end, or sign in."],
  ["anonymous", "Callers without a user have 3 open runs, which is the limit. Try again later, or sign in."],
  ["host", "The service itself has 3 open runs, which is the limit. Wait for one to end, or cancel one."],
] as const)("the error for a full share of %s says whose it is and what helps", (whose, message) => {
  expect(shareRefused({ whose, limit: 3 }, "open runs")).toMatchObject({
    code: "rate_limited",
    message,
    fields: { limit: 3, retryAfterMs: 1000 },
  });
});

it.each<[caller: CountedCaller, own: number, together: number, full: object | undefined]>([
  [ada, 4, 9, undefined],
  [ada, 5, 5, { whose: "user", limit: 5 }],
  [ada, 5, 10, { whose: "user", limit: 5 }],
  [ada, 0, 10, { whose: "users", limit: 10 }],
  [hostCaller, 9, 9, undefined],
  [hostCaller, 10, 10, { whose: "host", limit: 10 }],
  [nobody, 9, 9, undefined],
  [nobody, 10, 10, { whose: "anonymous", limit: 10 }],
  [at("192.0.2.1"), 5, 5, { whose: "address", limit: 5 }],
  [at("192.0.2.1"), 4, 10, { whose: "anonymous", limit: 10 }],
])("%j with %d of its own and %d together, of 10 in all and 5 each, fills %j", (...row) => {
  const [caller, own, together, full] = row;
  expect(new CallerShares({ total: 10, perCaller: 5 }).fullOf(caller, { own, together })).toEqual(full);
});

it("a share for each caller is a tenth of the whole and at least 20, but never more than the whole", () => {
  const limitOf = (total: number) => new CallerShares({ total }).fullOf(ada, { own: 1000, together: 1000 })?.limit;
  expect([5, 20, 199, 209, 210, 1000].map(limitOf)).toEqual([5, 20, 20, 20, 21, 100]);
});

describe("countedCaller", () => {
  it("tells users apart by tenant, and takes all that only claim a user for one caller", () => {
    expect(countedCaller({ userId: "ada", tenantId: "t" }).key).not.toBe(ada.key);
    expect(countedCaller({ userId: "ada", verified: false })).toEqual(nobody);
    expect(countedCaller({ userId: "ö/#", verified: false })).toEqual(nobody);
    expect(countedCaller({ tenantId: "t" })).toEqual(nobody);
  });

  it("takes the addresses of an IPv6 /64, and the two forms of an IPv4 address, for one", () => {
    const same = [
      ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:0DB8:0001:0002::"],
      ["192.0.2.1", "::ffff:192.0.2.1", "::ffff:c000:201"],
      ["fe80::1%eth0", "fe80::2%eth1"],
    ];
    const keys = same.map((addresses) => new Set(addresses.map((address) => at(address).key)));
    expect(keys.map(({ size }) => size)).toEqual([1, 1, 1]);
    expect(new Set([...keys.flatMap((each) => [...each]), at("2001:db8:1:3::1").key, at("::1").key]).size).toBe(5);
  });

  it("keeps no address in its key, and takes what is no address for none", () => {
    expect(at("192.0.2.1").key).toMatch(/^#[\da-f]{16}$/);
    expect(at("unix:")).toEqual(nobody);
    expect(at("")).toEqual(nobody);
  });
});
