import { describe, expect, it, vi } from "vitest";
import type { TroupeError } from "../../base/errors/troupe-error.ts";
import { Followers } from "./followers.ts";

const ending = () => vi.fn<(reason: TroupeError) => void>();
const interrupted = (runId: string) =>
  expect.objectContaining({
    code: "interrupted",
    message: "The run goes on without this connection. Ask for it by its id.",
    fields: { runId, retryAfterMs: 1000 },
  });

describe("the clients that follow runs", () => {
  it("are each told of a shutdown with the id of their own run, but for those that have left", async () => {
    const followers = new Followers();
    const [one, two, gone] = [ending(), ending(), ending()];
    const over = [followers.begin("r1", one), followers.begin("r2", two)];
    followers.begin("r3", gone)();
    const ended = followers.endAll();
    expect(one).toHaveBeenCalledExactlyOnceWith(interrupted("r1"));
    expect(two).toHaveBeenCalledExactlyOnceWith(interrupted("r2"));
    expect(gone).not.toHaveBeenCalled();
    for (const leave of over) leave();
    await ended;
  });

  it("may follow one run together", async () => {
    const followers = new Followers();
    const [one, two] = [ending(), ending()];
    followers.begin("r", one);
    followers.begin("r", two);
    void followers.endAll();
    expect([one, two].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
    await Promise.resolve();
  });

  it("are waited for by each shutdown until the last has left", async () => {
    const followers = new Followers();
    const over = [followers.begin("r1", ending()), followers.begin("r2", ending())];
    const done: string[] = [];
    const ended = [
      followers.endAll().then(() => done.push("first")),
      followers.endAll().then(() => done.push("second")),
    ];
    over[0]?.();
    over[0]?.();
    await new Promise(setImmediate);
    expect(done).toEqual([]);
    over[1]?.();
    await Promise.all(ended);
    expect(done).toEqual(["first", "second"]);
  });

  it("are not waited for when there are none, and are refused from then on", async () => {
    const followers = new Followers();
    followers.begin("r0", ending())();
    await followers.endAll();
    const late = ending();
    expect(() => followers.begin("r1", late)).toThrow(interrupted("r1"));
    await followers.endAll();
    expect(late).not.toHaveBeenCalled();
  });

  it("are refused from the moment at which a shutdown begins to tell the others", async () => {
    const followers = new Followers();
    const leave = followers.begin("r1", () => {
      expect(() => followers.begin("r2", ending())).toThrow(interrupted("r2"));
    });
    const ended = followers.endAll();
    leave();
    await ended;
    expect.assertions(1);
  });

  it("are not waited for by a shutdown whose end they take by leaving at once, one behind the other", async () => {
    const followers = new Followers();
    const told: string[] = [];
    for (const runId of ["r1", "r2", "r3"]) {
      const leave = followers.begin(runId, () => {
        told.push(runId);
        leave();
      });
    }
    const still = new Promise((resolve) => void setImmediate(resolve, "still waits"));
    expect(await Promise.race([followers.endAll(), still])).toBeUndefined();
    expect(told).toEqual(["r1", "r2", "r3"]);
  });
});
