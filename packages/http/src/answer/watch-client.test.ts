import { describe, expect, it } from "vitest";
import { GivenRun } from "../../test/given-run.ts";
import { exchangeOf, WrittenResponse } from "../../test/written-response.ts";
import { watchClient } from "./answer-kept.ts";

describe("watchClient", () => {
  const watch = (fields: object, endsWithClient = true) => {
    const response = Object.assign(new WrittenResponse(), fields);
    const run = new GivenRun();
    return { response, run, stop: watchClient(exchangeOf(response).exchange, { run: run.run, endsWithClient }) };
  };
  const cancels = ({ told }: GivenRun) => told.length;

  it("cancels once for a client that leaves, at once for one that has left, and never for one whose answer is whole", () => {
    const leaving = watch({});
    leaving.response.emit("close");
    leaving.response.emit("close");
    const whole = watch({ writableFinished: true });
    whole.response.emit("close");
    expect([leaving, whole, watch({ destroyed: true })].map(({ run }) => cancels(run))).toEqual([1, 0, 1]);
  });

  it("cancels nothing once it is stopped, and listens to nothing for a run that goes on", () => {
    const stopped = watch({});
    stopped.stop();
    stopped.response.emit("close");
    const going = watch({ destroyed: true }, false);
    expect([cancels(stopped.run), cancels(going.run)]).toEqual([0, 0]);
    expect([stopped, going].map(({ response }) => response.listenerCount("close"))).toEqual([0, 0]);
  });

  it("does not fail with a cancel that fails", async () => {
    const { run, response } = watch({});
    Object.assign(run.run.service, { cancel: () => Promise.reject(new Error("No storage.")) });
    response.leave();
    await new Promise((resolve) => setImmediate(resolve));
    // The rejection would have ended the test.
    expect(response.listenerCount("close")).toBe(0);
  });
});
