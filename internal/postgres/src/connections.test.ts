import { setImmediate as turn } from "node:timers/promises";
import { TroupeError } from "@troupe/core";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { FakeClient, FakePool, serverError } from "./test/fake-pool.ts";
import { Connections } from "./connections.ts";
import type { Query } from "./connections.ts";

const limits = { acquireTimeoutMs: 500, statementTimeoutMs: 30_000 };
const one = { sql: "select 1", parameters: [1] };
const refused = () => new TroupeError("invalid_value", "Refused.");

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** The connections of a pool with these clients. */
function over(...clients: FakeClient[]) {
  const pool = new FakePool(...clients);
  return { pool, connections: new Connections(pool, limits) };
}

/** Settles while all pauses of the fake clock pass. */
async function settle(work: Promise<unknown>): Promise<unknown> {
  const state = { isSettled: false };
  const outcome = work.catch((error: unknown) => error).finally(() => (state.isSettled = true));
  while (!state.isSettled) {
    // Two turns, in which a connection is checked.
    await turn();
    await vi.runAllTimersAsync();
  }
  return await outcome;
}

describe("Connections.use", () => {
  it("sends each statement with a second more for its answer than the server takes, and returns its rows", async () => {
    const client = new FakeClient();
    client.answer = () => ({ rows: [{ a: 1 }] });
    const { connections } = over(client);
    const parameters = [1, "x"];
    const rows = await connections.use(async (query) => await query({ sql: "select $1, $2", parameters }));

    expect(rows).toEqual([{ a: 1 }]);
    expect(client.asked).toEqual([{ text: "select $1, $2", values: [1, "x"], query_timeout: 31_000 }]);
    expect(client.asked[0]?.values).not.toBe(parameters);
    expect(client.released).toEqual([[false, 1]]);
    expect(client.listenerCount("error")).toBe(0);
  });

  it("returns the rows of the last of several statements, and none where there is no answer", async () => {
    const client = new FakeClient();
    const { connections } = over(client);
    const ask = async () => await connections.use(async (query) => await query(one));
    client.answer = () => [{ rows: [{ a: 1 }] }, { rows: [{ a: 2 }] }];
    expect(await ask()).toEqual([{ a: 2 }]);
    client.answer = () => [];

    expect(await ask()).toEqual([]);
  });

  it.each<[string, (query: Query) => Promise<unknown>, boolean]>([
    ["returns the connection of work that asked nothing", async () => {}, false],
    [
      "returns the connection of work that threw a TroupeError between statements",
      async () => {
        throw refused();
      },
      false,
    ],
    [
      "ends the connection of work that threw another error",
      async () => {
        throw new Error("bug");
      },
      true,
    ],
    [
      "returns the connection of work that threw a TroupeError after a statement",
      async (query) => {
        await query(one);
        throw refused();
      },
      false,
    ],
    [
      "ends the connection of work that hid the failure of a statement",
      async (query) => await query({ sql: "fail", parameters: [] }).catch(() => {}),
      true,
    ],
    [
      "ends the connection of work that left a statement running",
      async (query) => void query({ sql: "hang", parameters: [] }).catch(() => {}),
      true,
    ],
    [
      "ends the connection of work that made a TroupeError of a statement's failure",
      async (query) => {
        await query({ sql: "fail", parameters: [] }).catch(() => {
          throw refused();
        });
      },
      true,
    ],
    [
      "returns the connection of work whose later statement succeeded",
      async (query) => {
        await query({ sql: "fail", parameters: [] }).catch(() => {});
        await query(one);
      },
      false,
    ],
  ])("%s", async (_title, work, isEnded) => {
    const client = new FakeClient();
    client.answer = async ({ text }) => {
      if (text === "fail") throw serverError("22012");
      if (text === "hang") await new Promise(() => {});
      return { rows: [] };
    };
    const { connections } = over(client);
    await connections.use(work).catch(() => {});

    expect(client.released.map(([end]) => end)).toEqual([isEnded]);
    expect(client.listenerCount("error")).toBe(0);
  });

  it("listens for errors while it has the connection, and leaves the last listener until it is given back", async () => {
    const client = new FakeClient();
    const { connections } = over(client);
    await connections.use(async () => void client.emit("error", new Error("lost")));

    expect(client.released).toEqual([[false, 1]]);
  });

  it("passes on the error of the pool as one of connecting", async () => {
    const { connections } = over();

    await expect(connections.use(async () => {})).rejects.toMatchObject({
      code: "storage_unavailable",
      message: "PostgreSQL cannot be reached (ECONNREFUSED).",
    });
  });
});

describe("a connection that was silent", () => {
  /** Uses a client, waits, and uses it again, when its end is read from the socket. */
  async function usedAgainAfter(ms: number, turns = 1) {
    const [first, second] = [new FakeClient(), new FakeClient()];
    const { pool, connections } = over(first, first, second);
    await connections.use(async (query) => await query(one));
    vi.advanceTimersByTime(ms);
    const using = connections.use(async (query) => await query(one));
    for (let passed = 1; passed < turns; passed += 1) await turn();
    setImmediate(() => first.listenerCount("error") > 0 && first.emit("error", new Error("The connection ended.")));
    await using;
    return { first, second, pool };
  }

  it("is used at once within a second after its last answer", async () => {
    const { first, second } = await usedAgainAfter(999);

    expect([first.asked.length, second.asked.length]).toEqual([2, 0]);
  });

  it.each([1, 2])("is checked after a second, and ended and replaced if it was lost %i turns later", async (turns) => {
    const { first, second, pool } = await usedAgainAfter(1000, turns);

    expect([first.asked.length, second.asked.length, pool.connects]).toEqual([1, 1, 3]);
    expect(first.released).toEqual([
      [false, 1],
      [true, 1],
    ]);
    expect([first.listenerCount("error"), second.listenerCount("error")]).toEqual([0, 0]);
  });
});

describe("a pool without a free connection", () => {
  it("fails after acquireTimeoutMs with what to raise, and gets the late connection back", async () => {
    const client = new FakeClient();
    const { pool, connections } = over(client);
    const late = Promise.withResolvers<FakeClient>();
    vi.spyOn(pool, "connect").mockReturnValue(late.promise);
    const failing = connections.use(async () => {}).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(499);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(await failing).toMatchObject({
      code: "storage_unavailable",
      message: "No connection to PostgreSQL became available within 500 ms. Raise acquireTimeoutMs or max.",
    });
    late.resolve(client);
    await turn();
    expect(client.released).toEqual([[false, 1]]);
    expect([client.listenerCount("error"), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("leaves nothing unhandled when the late connection fails", async () => {
    const { pool, connections } = over(new FakeClient());
    const late = Promise.withResolvers<FakeClient>();
    vi.spyOn(pool, "connect").mockReturnValue(late.promise);
    const failing = settle(connections.use(async () => {}));
    expect(await failing).toMatchObject({ code: "storage_unavailable" });

    late.reject(new Error("too late"));
  });
});

describe("Connections.useRepeatedly", () => {
  /** Repeats work whose statements fail with these codes, one after the other, and then succeed. */
  async function repeat(failures: readonly string[], codes?: readonly string[]) {
    const client = new FakeClient();
    const left = [...failures];
    client.answer = () => {
      const code = left.shift();
      if (code !== undefined) throw serverError(code);
      return { rows: [{ done: true }] };
    };
    const { connections } = over(client);
    const result = await settle(connections.useRepeatedly(async (query) => await query(one), codes));
    return { result, tries: client.asked.length, ended: client.released.map(([end]) => end) };
  }

  it.each(["40001", "40P01"])("repeats what was rolled back because of others (%s)", async (code) => {
    expect(await repeat([code, code])).toEqual({ result: [{ done: true }], tries: 3, ended: [true, true, false] });
  });

  it("repeats what fails with one of the given codes", async () => {
    expect(await repeat(["42P01"], ["22000", "42P01"])).toMatchObject({ result: [{ done: true }], tries: 2 });
  });

  it("fails at once with any other code, as the server says", async () => {
    expect(await repeat(["42P01"], ["22000"])).toMatchObject({
      result: { message: "PostgreSQL has lost the table: it was dropped while in use (42P01)." },
      tries: 1,
    });
  });

  it("tries ten times, and then fails with the last error", async () => {
    const { result, tries } = await repeat([...Array<string>(9).fill("40001"), "40P01", "53300"]);

    expect(result).toMatchObject({
      code: "storage_unavailable",
      message: "PostgreSQL could not complete the operation (40P01).",
    });
    expect(tries).toBe(10);
    expect(await repeat(Array<string>(9).fill("40001"))).toMatchObject({ result: [{ done: true }], tries: 10 });
  });

  it("pauses up to 10 ms more after each failure", async () => {
    const client = new FakeClient();
    const tried: number[] = [];
    client.answer = () => {
      tried.push(performance.now());
      throw serverError("40001");
    };
    const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
    onTestFinished(() => random.mockRestore());
    const start = performance.now();
    await settle(over(client).connections.useRepeatedly(async (query) => await query(one)));

    expect(tried.map((at) => Math.round(at - start))).toEqual([0, 5, 15, 30, 50, 75, 105, 140, 180, 225]);
  });

  it("passes on a TroupeError of the work, without repeating it", async () => {
    const error = refused();
    let tries = 0;
    const client = new FakeClient();
    const result = await settle(
      over(client).connections.useRepeatedly(async () => {
        tries += 1;
        throw error;
      }, ["invalid_value"]),
    );

    expect([result, tries]).toEqual([error, 1]);
  });
});
