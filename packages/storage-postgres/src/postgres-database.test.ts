import type { AppendRequest } from "@troupe/core/storage";
import type { Connections, Query } from "@troupe-internal/postgres";
import { compileStatements } from "@troupe-internal/sql-storage";
import { describe, expect, it, vi } from "vitest";
import { appendStatement } from "./append-statement.ts";
import { batchStatements } from "./batch-statements.ts";
import { PostgresDatabase } from "./postgres-database.ts";

const statements = await compileStatements("postgres", { name: "t", schema: "s" });
const [append, batches] = [appendStatement(statements, '"s"."t"'), batchStatements('"s"."t"')];

type Call = { readonly sql: string; readonly parameters: readonly unknown[] };

const begin = { sql: "begin", parameters: [] };
const commit = { sql: "commit", parameters: [] };

/** A database whose server is the test: rows for each statement, or a thrown error. Keeps what was sent and announced. */
function start(answer: (call: Call) => object[] = () => []) {
  const sent: Call[] = [];
  /** Statements of each piece of work on a connection. */
  const works: number[] = [];
  const told: string[] = [];
  const query = (async ({ sql, parameters }) => {
    sent.push({ sql, parameters });
    return await Promise.resolve(answer({ sql, parameters }));
  }) as Query;
  const useRepeatedly = async (work: (given: Query) => Promise<unknown>) => {
    const before = sent.length;
    const result = await work(query);
    works.push(sent.length - before);
    return result;
  };
  const notifier = {
    announce: () => void told.push(`announce after ${sent.length}`),
    close: async () => void told.push(await Promise.resolve("notifier")),
  };
  const stops = [vi.fn<() => void>(), vi.fn<() => void>()];
  const listened: unknown[] = [];
  const database = new PostgresDatabase({
    statements,
    append,
    batches,
    connections: { useRepeatedly } as unknown as Connections,
    notifier: notifier as never,
    listen: (onChange) => {
      listened.push(onChange);
      const stop = stops[listened.length - 1];
      return () => {
        told.push(`stop ${stops.indexOf(stop as never)}`);
        stop?.();
      };
    },
    end: async () => void told.push(await Promise.resolve("end")),
  });
  return { database, sent, works, told, listened };
}

const insert = (namespace: string, key: string, text = "1") => ({ namespace, key, text });
const removal = (namespace: string, key: string) => ({ namespace, key, text: null });

describe("PostgresDatabase", () => {
  it.each([
    [[{ value: '{"a":1}' }], '{"a":1}'],
    [[], null],
  ])("reads the value of the rows %j", async (rows, value) => {
    const { database, sent } = start(() => rows);

    expect(await database.read("n", "k")).toBe(value);
    expect(sent).toEqual([statements.read({ namespace: "n", key: "k" })]);
  });

  it("pings by reading one record", async () => {
    const { database, sent, told } = start();
    await database.ping();

    expect(sent).toEqual([statements.read({ namespace: "ping", key: "ping" })]);
    expect(told).toEqual([]);
  });

  it.each([
    ["run-1", ["announce after 1"]],
    ["runs", []],
    ["sessions", []],
  ])("writes in %s, and announces it once stored: %j", async (namespace, announced) => {
    const { database, sent, told } = start();
    await database.write(insert(namespace, "k"));

    expect(sent).toEqual([statements.write(insert(namespace, "k"))]);
    expect(told).toEqual(announced);
  });

  it("writes many inserts by one statement", async () => {
    const { database, sent, told } = start();
    const writes = [insert("a", "1"), insert("run-1", "2")];
    await database.writeAll(writes);

    expect(sent).toEqual([batches.store(writes)]);
    expect(told).toEqual(["announce after 1"]);
  });

  it.each([
    ["a removal is among them", [insert("a", "1"), removal("run-1", "2")]],
    ["they are too large for one statement", [insert("a", "1", "x".repeat(16_000_000)), insert("run-1", "2")]],
  ])("writes in one transaction when %s", async (_when, writes) => {
    const { database, sent, works, told } = start();
    await database.writeAll(writes);

    expect(sent).toEqual([begin, ...writes.map((write) => statements.write(write)), commit]);
    expect(works).toEqual([4]);
    expect(told).toEqual(["announce after 4"]);
  });

  it("announces nothing that was not stored", async () => {
    const { database, told } = start(() => {
      throw new Error("lost");
    });

    await expect(database.write(insert("run-1", "k"))).rejects.toThrow("lost");
    await expect(database.writeAll([insert("run-1", "k")])).rejects.toThrow("lost");
    await expect(database.swap({ ...insert("run-1", "k"), expected: null } as never)).rejects.toThrow("lost");
    await expect(database.insertAll([insert("run-1", "k")])).rejects.toThrow("lost");
    expect(told).toEqual([]);
  });

  it("lists keys and texts in the order of the rows", async () => {
    const rows = [
      { key: "b", value: "2" },
      { key: "a", value: "1" },
    ];
    const { database, sent } = start(() => rows);
    const range = { namespace: "n", from: "a", to: "c", limit: 2, reverse: true };

    expect(await database.list(range)).toEqual([
      { key: "b", text: "2" },
      { key: "a", text: "1" },
    ]);
    expect(sent).toEqual([statements.list(range)]);
  });

  it("lists many ranges by one statement, each row in the place of its range, which counts from 1", async () => {
    const rows = [
      { place: 1, key: "a", value: "1" },
      { place: 3, key: "b", value: "2" },
      { place: 3, key: "c", value: "3" },
    ];
    const { database, sent } = start(() => rows);
    const ranges = ["l", "m", "n"].map((namespace) => ({
      namespace,
      from: "a",
      to: "z",
      limit: undefined,
      reverse: false,
    }));

    expect(await database.listMany(ranges)).toEqual([
      [{ key: "a", text: "1" }],
      [],
      [
        { key: "b", text: "2" },
        { key: "c", text: "3" },
      ],
    ]);
    expect(sent).toEqual([batches.list(ranges)]);
  });

  it.each([
    [[{ written: 1 }], true, ["announce after 1"]],
    [[], false, []],
  ])("swaps, with the rows %j: %j", async (rows, isWritten, announced) => {
    const { database, told } = start(() => rows);

    expect(await database.swap({ ...insert("run-1", "k"), expected: "0" } as never)).toBe(isWritten);
    expect(told).toEqual(announced);
  });

  it("inserts the first of records with one key, in one order, and tells which were inserted", async () => {
    const { database, sent, told } = start(() => [{ namespace: "run-1", key: "a" }]);
    const inserts = [
      insert("run-1", "b", "1"),
      insert("run-1", "a", "2"),
      insert("run-1", "a", "3"),
      insert("z", "a", "4"),
    ];

    expect(await database.insertAll(inserts)).toEqual([false, true, false, false]);
    expect(sent).toEqual([
      batches.insert([insert("run-1", "a", "2"), insert("run-1", "b", "1"), insert("z", "a", "4")]),
    ]);
    expect(told).toEqual(["announce after 1"]);
    expect(await database.insertAll([])).toEqual([]);
  });

  it("announces of each batch only what it inserted", async () => {
    const { database, sent, told } = start(({ parameters: [, keys] }) =>
      (keys as string[]).includes("a") ? [] : [{ namespace: "run-1", key: "b" }],
    );
    const inserts = [insert("run-1", "a", "x".repeat(16_000_000)), insert("run-1", "b")];

    expect(await database.insertAll(inserts)).toEqual([false, true]);
    expect(sent).toHaveLength(2);
    expect(told).toEqual(["announce after 2"]);
  });

  it("stops each watch once, and on closing those left, then the notifier, then the pool", async () => {
    const { database, told, listened } = start();
    const onChange = () => {};
    const stop = database.watch(onChange);
    database.watch(onChange);
    stop();
    await database.close();

    expect(listened).toEqual([onChange, onChange]);
    expect(told).toEqual(["stop 0", "stop 1", "notifier", "end"]);
  });
});

describe("PostgresDatabase.append", () => {
  const free: AppendRequest = { namespace: "run-1", keyPrefix: "p/", text: "1", lease: undefined };
  const held: AppendRequest = { ...free, lease: { key: "l", token: 3 } };
  const readLease = statements.read({ namespace: "locks", key: "l" });
  const stored = [{ key: "p/000000000007" }];
  const isAppend = ({ sql }: Call) => sql.includes("insert into");
  const isLease = ({ parameters }: Call) => parameters.includes("locks");

  it("stores by one statement, and returns the key and its number", async () => {
    const { database, sent, told } = start(() => stored);

    expect(await database.append(free)).toEqual({ key: "p/000000000007", seq: 7 });
    expect(sent).toEqual([append(free)]);
    expect(told).toEqual(["announce after 1"]);
  });

  it("reads the lease first, and stores only while it has the text that was read", async () => {
    const { database, sent } = start((call) =>
      isLease(call) && !isAppend(call) ? [{ value: '{"token":3}' }] : stored,
    );

    expect(await database.append(held)).toEqual({ key: "p/000000000007", seq: 7 });
    expect(sent).toEqual([readLease, append(held, '{"token":3}')]);
  });

  it.each([
    ["of another token", [{ value: '{"token":4}' }]],
    ["that is gone", []],
  ])("refuses a lease %s before it stores, and announces nothing", async (_which, rows) => {
    const { database, sent, told } = start(() => rows);

    await expect(database.append(held)).rejects.toMatchObject({ code: "conflict", fields: { key: "l" } });
    expect(sent).toEqual([readLease]);
    expect(told).toEqual([]);
  });

  it("reads the lease anew and repeats when another writer was faster, on the same connection", async () => {
    let tries = 0;
    const { database, sent, works, told } = start((call) => {
      if (isAppend(call)) return (tries += 1) === 2 ? stored : [];
      return isLease(call) ? [{ value: `{"token":3,"n":${tries}}` }] : [{ key: "p/000000000006" }];
    });
    await database.append(held);

    expect(sent).toEqual([
      readLease,
      append(held, '{"token":3,"n":0}'),
      statements.lastNumbered(held),
      readLease,
      append(held, '{"token":3,"n":1}'),
    ]);
    expect(works).toEqual([5]);
    expect(told).toEqual(["announce after 5"]);
  });

  it("fails when there is no number left", async () => {
    const { database, sent } = start((call) => (isAppend(call) ? [] : [{ key: "p/999999999999" }]));

    await expect(database.append(free)).rejects.toMatchObject({ name: "TroupeError" });
    expect(sent).toEqual([append(free), statements.lastNumbered(free)]);
  });

  it("refuses a prefix that no key can have before it asks anything", async () => {
    const { database, sent } = start();

    await expect(database.append({ ...free, keyPrefix: "\0" })).rejects.toMatchObject({ code: "invalid_value" });
    expect(sent).toEqual([]);
  });
});
