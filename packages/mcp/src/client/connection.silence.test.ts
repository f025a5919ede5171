import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { connect, never, once, status } from "../../test/connect.ts";
import { loadLibrary } from "./library.ts";

// The first connection loads it, which takes longer than a turn of the event loop.
beforeAll(loadLibrary);
afterEach(() => void vi.useRealTimers());

describe("a connection whose server is silent", () => {
  const start = async (options: object = {}) => {
    const made = connect(options);
    await made.connection.open();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    return { ...made, wait: async (ms: number) => await vi.advanceTimersByTimeAsync(ms) };
  };

  it("fails a request at its time limit and the list of tools at connectTimeoutMs, to the millisecond", async () => {
    const { connection, answers, ask, wait } = await start();
    const failures: string[] = [];
    const note = (error: Error) => void failures.push(error.message);
    answers["tools/list"] = never;
    ask().catch(note);
    connection.tools().catch(note);
    await wait(14_999);
    expect(failures).toEqual([]);
    await wait(1);
    expect(failures.splice(0)).toEqual(['The MCP server "box" did not answer the list of its tools within 15000 ms.']);
    await wait(14_999);
    expect(failures).toEqual([]);
    await wait(1);
    expect(failures).toEqual(['The MCP server "box" did not answer a question within 30000 ms.']);
  });

  it("is a new one where the look is not answered for three seconds, and looks once for all", async () => {
    const { answers, ask, sent, wait } = await start();
    once(answers, "tools/list", () => status(500));
    await expect(ask()).rejects.toMatchObject({ fields: { status: 500 } });
    answers["ping"] = never;
    const results: unknown[] = [];
    const asking = [ask(), ask()].map(async (each) => results.push(await each));
    await wait(2999);
    expect(sent.filter((method) => method !== "tools/list")).toEqual(["initialize", "ping"]);
    await wait(1);
    await Promise.all(asking);
    expect(results).toHaveLength(2);
    expect(sent.filter((method) => method === "ping")).toHaveLength(1);
  });

  it("gives each request an own signal, and no time limit but ours", async () => {
    const { connection } = await start();
    const send = async (_client: unknown, options: object) => await Promise.resolve(options);
    const [one, two] = [
      await connection.exchange({ what: "a", timeoutMs: 5, send }),
      await connection.exchange({ what: "a", timeoutMs: 5, send }),
    ];
    const given = { signal: expect.any(AbortSignal) as AbortSignal, timeout: 2_147_483_647 };
    expect([one, two]).toStrictEqual([given, given]);
    expect((one as typeof given).signal).not.toBe((two as typeof given).signal);
  });
});
