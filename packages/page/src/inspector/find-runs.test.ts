import { TroupeError } from "@troupe/core";
import type { RunCaller, RunListOptions, RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import { RunFinder } from "./find-runs.ts";
import { Questions } from "./questions.ts";

type Told = Partial<RunView> & { input?: unknown };

/** Runs of a service, newest first: the number of each is the time of its creation. */
function serviceOf(count: number, tell: (number: number) => Told = () => ({})) {
  const read: string[] = [];
  const lists: unknown[] = [];
  const callers: RunCaller[] = [];
  const all = Array.from({ length: count }, (_, index): RunView & { input?: unknown } => {
    const number = count - index;
    const own = { runId: `r${number}`, kind: "agent", name: "poet", sessionId: "s", status: "completed" } as const;
    return { ...own, createdAt: number, attempts: 1, input: `Frage ${number}`, ...tell(number) };
  });
  const service = {
    list: async (caller: RunCaller, { limit = 20, after, status, hasOutputs }: RunListOptions = {}) => {
      lists.push({ limit, after });
      callers.push(caller);
      read.push(...(hasOutputs === true ? [] : ["without outputs"]));
      if (limit > 100) throw new TroupeError("invalid_request", "limit");
      const from = after === undefined ? 0 : all.findIndex(({ runId }) => runId === after) + 1;
      const left = all.slice(from).filter((run) => status === undefined || run.status === status);
      const runs = left.slice(0, limit);
      const last = runs.at(-1);
      return await Promise.resolve({ runs, ...(left.length > limit && last !== undefined && { next: last.runId }) });
    },
    readInput: async (runId: string) => {
      read.push(runId);
      const input = all.find((run) => run.runId === runId)?.input;
      if (input instanceof Error) throw input;
      return await Promise.resolve(input as string);
    },
  };
  return { finder: new RunFinder(service), service, read, lists, callers };
}

const idsOf = ({ runs }: { runs: readonly { run: RunView }[] }) => runs.map(({ run }) => run.runId);

describe("the runs that the inspector finds [page.inspector-runs]", () => {
  it("are those of one page with their questions, each of which is read once", async () => {
    const { finder, read, lists } = serviceOf(50);
    const page = await finder.find({ userId: "ada" }, { limit: 3, status: "completed", after: "r40" });
    await finder.find("host", { limit: 3, after: "r40" });

    expect(page).toMatchObject({ runs: [{ question: "Frage 39" }, {}, {}], next: "r37" });
    expect(read).toEqual(["r39", "r38", "r37"]);
    expect(lists).toEqual([
      { limit: 3, after: "r40" },
      { limit: 3, after: "r40" },
    ]);
  });

  it.each([
    [{ name: "clerk" }, ["r300", "r200", "r100"]],
    [{ session: "t" }, ["r250"]],
    [{ text: "ALESUND" }, ["r120", "r20"]],
    [{ text: "r31" }, ["r319", "r318", "r317", "r316", "r315", "r314", "r313", "r312", "r311", "r310", "r31"]],
    [{ since: 318 }, ["r320", "r319", "r318"]],
    [{ name: "clerk", since: 200, text: "frage" }, ["r300", "r200"]],
    [{ name: "clerk", status: "error" }, ["r300"]],
    [{ status: "error" }, ["r300", "r7"]],
    [{ status: "cancelled" }, []],
    [{ minTokens: 900 }, ["r77"]],
    [{ minTokens: 901 }, []],
    [{ minMs: 5000 }, ["r55"]],
    [{ minMs: 5001 }, []],
    [{ tag: "beta" }, ["r90"]],
    [{ tag: "bet" }, []],
  ] as const)("match %j, wherever they are in the list", async (query, ids) => {
    const { finder } = serviceOf(320, (number) => ({
      ...(number % 100 === 0 && { name: "clerk" }),
      ...(number === 250 && { sessionId: "t" }),
      ...(number === 90 && { tags: ["beta", "é"] }),
      ...(number === 77 && { output: { usage: { totalTokens: 900 } } }),
      ...(number === 55 && { startedAt: 1000, endedAt: 6000 }),
      ...((number === 300 || number === 7) && { status: "error" as const }),
      ...(number % 100 === 20 && number < 200 && { input: "Regen in Ålesund?" }),
    }));
    const page = await finder.find("host", query);

    expect(idsOf(page)).toEqual(ids);
    expect(page.next).toBeUndefined();
  });

  it.each<[object, object]>([
    [{ user: "ada" }, { userId: "ada" }],
    [
      { user: "ada", tenant: "acme" },
      { userId: "ada", tenantId: "acme" },
    ],
    [
      { user: "~ada", status: "error", name: "clerk" },
      { userId: "ada", verified: false },
    ],
  ])("are read from the list of the user in %j, by whom all are seen", async (query, owner) => {
    const { finder, callers } = serviceOf(3);
    await finder.find("host", query);
    expect(callers).toEqual([owner]);

    await expect(finder.find({ userId: "ada" }, query)).rejects.toMatchObject({ code: "forbidden" });
    await expect(finder.find({ userId: "ada" }, { tag: "beta" })).rejects.toMatchObject({ code: "forbidden" });
    await expect(finder.find("host", { tenant: "acme" })).rejects.toMatchObject({ code: "invalid_request" });
    expect(callers).toHaveLength(1);
  });

  it("are looked for in a bounded number of runs by one request, and go on behind them by the next", async () => {
    const { finder, lists, read } = serviceOf(100_000, (number) => (number <= 99_400 ? { name: "clerk" } : {}));
    const first = await finder.find("host", { name: "clerk", limit: 5 });
    expect([idsOf(first), first.next, lists.length, read]).toEqual([[], "r99501", 5, []]);

    const second = await finder.find("host", { name: "clerk", limit: 5, after: first.next });
    expect([second.runs.length, second.next, lists.length]).toEqual([100, "r99301", 7]);
    expect(idsOf(await finder.find("host", { since: 99_999 }))).toHaveLength(2);
    expect(lists).toHaveLength(8);
  });

  it("are not all read for a status that no run has, because the runs of all users have no list by status", async () => {
    const { finder, lists } = serviceOf(100_000);
    const { runs, next } = await finder.find("host", { status: "waiting", limit: 50 });
    expect([runs, next, lists.length]).toEqual([[], "r99501", 5]);
  });

  it.each(["odd", "", "constructor"])("are refused for the status %j", async (status) => {
    const { finder } = serviceOf(1);
    const query = { status: status as "waiting" };
    await expect(finder.find("host", query)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it.each([0, 101, 1.5, Number.NaN])("are refused for the limit %s, with a filter or without", async (limit) => {
    const { finder } = serviceOf(1);
    await expect(finder.find("host", { text: "x", limit })).rejects.toMatchObject({ code: "invalid_request" });
  });
});

describe("the question of a run", () => {
  it.each([
    ["Wer  \n bist du?", "Wer bist du?"],
    [[{ type: "text", text: "a" }, { type: "image", data: "x" }, { type: "text", text: "é" }, 7], "a é"],
    [{ city: "Oslo", apiKey: "sk-1" }, "city: Oslo, apiKey: [redacted]"],
    ["é".repeat(500), "é".repeat(400)],
    [undefined, undefined],
    ["  ", undefined],
    [new TroupeError("storage_corrupt", "x"), undefined],
    [new TroupeError("not_found", "x"), undefined],
    [new TroupeError("gone", "x"), undefined],
  ])("the question of a run with the input %j is %j", async (input, expected) => {
    const { service } = serviceOf(1, () => ({ input }));
    expect(await new Questions(service).read("r1", "host")).toBe(expected);
  });

  it("fails where the storage does", async () => {
    const { service } = serviceOf(1, () => ({ input: new TroupeError("storage_unavailable", "x") }));
    await expect(new Questions(service).read("r1", "host")).rejects.toThrow("x");
  });

  it("is kept for the runs that were listed last", async () => {
    const { service, read } = serviceOf(3);
    const questions = new Questions(service, 2);
    for (const runId of ["r1", "r2", "r1", "r3", "r1", "r2"]) await questions.read(runId, "host");

    expect(read).toEqual(["r1", "r2", "r3", "r2"]);
  });
});
