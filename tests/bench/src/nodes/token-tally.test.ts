import { describe, expect, it } from "vitest";
import { writeToken } from "./token.ts";
import { TokenTally } from "./token-tally.ts";

const textOf = (number: number) => writeToken({ number, givenMs: 1000 + number, lateMs: 0.5 });

/** A tally of a run whose reader got the tokens of these numbers, 40 ms after each was given. */
function tallyOf(...numbers: number[]): TokenTally {
  const tally = new TokenTally();
  for (const number of numbers) tally.take("run", textOf(number), 1040 + number);
  return tally;
}

const none = { gaps: 0, doubles: 0, outOfOrder: 0, restarts: 0 };

describe("TokenTally", () => {
  it("finds no fault in tokens that come once each and in their order", () => {
    const tally = tallyOf(1, 2, 3);
    tally.end("run", [1, 2, 3].map(textOf).join(""));

    expect(tally.faults).toEqual(none);
  });

  it("counts tokens that never came, also before the first and behind the last", () => {
    const tally = tallyOf(2, 5);
    tally.end("run", [4, 5, 6, 7].map(textOf).join(""));

    expect(tally.faults).toEqual({ ...none, gaps: 5 });
  });

  it("counts tokens that came twice", () => {
    expect(tallyOf(1, 2, 2, 1, 3).faults).toEqual({ ...none, doubles: 2 });
  });

  it("counts a token that came behind a later one as out of order, and as no gap", () => {
    expect(tallyOf(1, 3, 2, 4).faults).toEqual({ ...none, outOfOrder: 1 });
  });

  it("begins anew with an attempt that began again", () => {
    const tally = tallyOf(1, 2);
    tally.restart("run");
    for (const number of [1, 2, 3]) tally.take("run", textOf(number), 2000);

    expect(tally.faults).toEqual({ ...none, restarts: 1 });
  });

  it("returns the times of the tokens that were given within a span", () => {
    const { tookMs, sinceDueMs } = tallyOf(1, 2, 3, 4).given({ fromMs: 1002, toMs: 1004 });

    expect([...tookMs]).toEqual([40, 40]);
    expect([...sinceDueMs]).toEqual([40.5, 40.5]);
  });
});
