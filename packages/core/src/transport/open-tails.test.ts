import { describe, expect, it, vi } from "vitest";
import type { TroupeError } from "../base/errors/troupe-error.ts";
import { OpenTails } from "./open-tails.ts";

const ending = () => vi.fn<(reason: TroupeError) => void>();
const interrupted = (runId: string) =>
  expect.objectContaining({
    code: "interrupted",
    message: "The run goes on without this connection. Ask for it by its id.",
    fields: { runId, retryAfterMs: 1000 },
  });

describe("the clients that follow runs", () => {
  it("are each told of a shutdown with the id of their own run, but for those that have left", async () => {
    const tails = new OpenTails();
    const [one, two, gone] = [ending(), ending(), ending()];
    const over = [tails.begin("r1", one), tails.begin("r2", two)];
    tails.begin("r3", gone)();
    const ended = tails.endAll();
    expect(one).toHaveBeenCalledExactlyOnceWith(interrupted("r1"));
    expect(two).toHaveBeenCalledExactlyOnceWith(interrupted("r2"));
    expect(gone).not.toHaveBeenCalled();
    for (const leave of over) leave();
    await ended;
  });

  it("may follow one run together", async () => {
    const tails = new OpenTails();
    const [one, two] = [ending(), ending()];
    tails.begin("r", one);
    tails.begin("r", two);
    void tails.endAll();
    expect([one, two].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    await Promise.resolve();
  });

  it("are waited for by each shutdown until the last has left", async () => {
    const tails = new OpenTails();
    const over = [tails.begin("r1", ending()), tails.begin("r2", ending())];
    const done: string[] = [];
    const ended = [tails.endAll().then(() => done.push("first")), tails.endAll().then(() => done.push("second"))];
    over[0]?.();
    over[0]?.();
    await new Promise(setImmediate);
    expect(done).toEqual([]);
    over[1]?.();
    await Promise.all(ended);
    expect(done).toEqual(["first", "second"]);
  });

  it("are not waited for when there are none, and are refused from then on", async () => {
    const tails = new OpenTails();
    tails.begin("r0", ending())();
    await tails.endAll();
    const late = ending();
    expect(() => tails.begin("r1", late)).toThrow(interrupted("r1"));
    await tails.endAll();
    expect(late).not.toHaveBeenCalled();
  });
});
