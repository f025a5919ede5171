import { describe, expect, it } from "vitest";
import { anonymousCaller, countedCaller, hostCaller } from "../../sessions/session/counted-caller.ts";
import { Admission } from "./admission.ts";
import { AdmissionRules } from "./admission-rules.ts";

const limits = { maxQueued: 40, perCaller: 3, maxAnonymousBytes: 100 };
const [ada, bob] = [countedCaller({ userId: "ada" }), countedCaller({ userId: "bob" })];
const [one, other] = [countedCaller({}, "1.2.3.4"), countedCaller({}, "1.2.3.5")];
const tooMany = (whose: string, limit: number) =>
  expect.objectContaining({ code: "rate_limited", message: expect.stringContaining(`${whose} ${limit}`) });

describe("the open runs of callers", () => {
  it("have a bound for each user, whatever others have, and are counted anew when one ends", () => {
    const admission = new Admission(limits);
    for (let run = 0; run < 3; run++) {
      expect(admission.check(ada, 0)).toBe(run);
      admission.add({ runId: `a${run}` }, ada);
    }
    expect(() => admission.check(ada, 0)).toThrow(tooMany("This user has", 3));
    expect(admission.check(bob, 0)).toBe(0);
    admission.remove("a1");
    expect(admission.check(ada, 0)).toBe(2);
    admission.add({ runId: "a1" }, ada);
    expect(() => admission.check(ada, 0)).toThrow(tooMany("This user has", 3));
  });

  it("are one run where one is added twice, and none where one that is not there is removed", () => {
    const admission = new Admission(limits);
    for (let times = 0; times < 4; times++) admission.add({ runId: "r", inputBytes: 90 }, ada);
    admission.remove("s");
    expect(admission.check(ada, 0)).toBe(1);
  });

  it("the open runs of callers that wait to be performed are bounded for all users together, without those of callers without one", () => {
    const admission = new Admission(limits);
    expect(admission.check(ada, 39)).toBe(0);
    expect(() => admission.check(ada, 40)).toThrow(tooMany("All users together have", 40));
    admission.add({ runId: "x" }, one);
    expect(admission.check(ada, 40)).toBe(0);
    expect(admission.check(other, 1000)).toBe(1);
  });

  it("the open runs of callers of one address have a quarter of the bytes that callers without a user have together, rounded up", () => {
    const admission = new Admission({ ...limits, perCaller: 1000, maxAnonymousBytes: 101 });
    admission.add({ runId: "a", inputBytes: 25 }, one);
    expect(admission.check(one, 0)).toBe(1);
    admission.add({ runId: "b", inputBytes: 1 }, one);
    expect(() => admission.check(one, 0)).toThrow(tooMany("This address has", 26));
    expect(admission.check(other, 0)).toBe(2);
    admission.add({ runId: "c", inputBytes: 75 }, anonymousCaller());
    expect(() => admission.check(other, 0)).toThrow(tooMany("Callers without a user have", 101));
    admission.remove("c");
    expect(admission.check(other, 0)).toBe(2);
  });

  it("count no bytes of users or of the program", () => {
    const admission = new Admission(limits);
    admission.add({ runId: "a", inputBytes: 1_000_000 }, ada);
    admission.add({ runId: "h", inputBytes: 1_000_000 }, hostCaller);
    expect(admission.check(ada, 0)).toBe(1);
    expect(admission.check(hostCaller, 0)).toBe(0);
    expect(admission.check(one, 0)).toBe(0);
  });

  it("the open runs of callers that a sweep finds take the place of all but those that wait for an answer", () => {
    const admission = new Admission(limits);
    for (const runId of ["a", "b", "w"]) admission.add({ runId }, ada);
    admission.wait("w", ada);
    admission.replace([]);
    expect(admission.check(ada, 0)).toBe(1);
    admission.remove("w");
    admission.replace([]);
    expect(admission.check(ada, 0)).toBe(0);
  });
});

it("a caller without a user goes behind others by no more runs than a user can have", () => {
  const rules = new AdmissionRules(limits);
  expect(rules.openOf(ada, { own: 2, together: 9 })).toBe(2);
  expect(rules.openOf(one, { own: 0, together: 2 })).toBe(2);
  expect(rules.openOf(one, { own: 0, together: 9 })).toBe(3);
  expect(rules.openOf(hostCaller, { own: 9, together: 9 })).toBe(0);
});
