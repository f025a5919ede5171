import { describe, expect, it } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { logKey, logRecord } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import type { Json } from "../../sessions/storage/json.ts";
import {
  checkAnswer,
  findWait,
  hasAnswer,
  putAnswer,
  putCancel,
  readCancel,
  readCancels,
  readInbox,
} from "./answers.ts";
import type { RunStorage } from "./run-record.ts";
import { runDrivers } from "./test/run-drivers.ts";
import { newRecord } from "./test/run-records.ts";

const wait = (id: string, about: Json = null) => ({ id, kind: "approval", about }) as const;

describe.each(runDrivers)("the inbox of a run over storage with %s", (_name, create) => {
  it("has the first cancel and the first answer to each wait, and nothing of another run", async () => {
    const storage = create();
    await putCancel(storage, "r1", "enough");
    await putCancel(storage, "r1", undefined);
    await putAnswer(storage, { runId: "r1", waitId: "t.0/é" }, { approved: true });
    await putAnswer(storage, { runId: "r1", waitId: "t.1" }, null);
    await putAnswer(storage, { runId: "r10", waitId: "t.2" }, 1);

    expect(await readInbox(storage, "r1")).toStrictEqual({
      cancel: { reason: "enough" },
      answers: new Map<string, Json>([
        ["t.0/é", { approved: true }],
        ["t.1", null],
      ]),
      signals: [],
    });
    expect(await storage.get("run-inbox", "r1/cancel")).toEqual({ v: 1, reason: "enough" });
    expect(await storage.get("run-inbox", "r1/t.0%2F%C3%A9")).toEqual({ v: 1, answer: { approved: true } });
    expect(await readInbox(storage, "r10")).toStrictEqual({ answers: new Map([["t.2", 1]]), signals: [] });
    expect(await readCancel(storage, "r1")).toStrictEqual({ reason: "enough" });
    expect(await readCancel(storage, "r10")).toBeUndefined();
  });

  it("takes the same answer again, and refuses another one", async () => {
    const storage = create();
    const place = { runId: "r1", waitId: "t.0" };
    await putAnswer(storage, place, { b: 1, a: [2] });
    await putAnswer(storage, place, { a: [2], b: 1 });
    await expect(putAnswer(storage, place, { a: [2] })).rejects.toMatchObject({
      code: "conflict",
      message: 'The wait "t.0" has another answer already: the first one counts.',
    });
    const answers: Json[] = [{ b: 1, a: [2] }, { a: [2] }, null];
    expect(await Promise.all(answers.map((answer) => hasAnswer(storage, place, answer)))).toEqual([true, false, false]);
    expect(await hasAnswer(storage, { runId: "r2", waitId: "t.0" }, null)).toBe(false);
  });

  it("tells the cancels of many runs, each for its run", async () => {
    const storage = create();
    await putCancel(storage, "r1", "one");
    await putCancel(storage, "r3", undefined);
    await storage.set("run-inbox", "r2/cancelled", { v: 1, reason: "other" });
    await putCancel(storage, "r4", "not asked for");
    const cancels = await readCancels(storage, ["r3", "r2", "r1"], () => expect.unreachable());
    expect([...cancels]).toStrictEqual([
      ["r3", {}],
      ["r1", { reason: "one" }],
    ]);
    expect([...(await readCancels(storage, [], () => expect.unreachable()))]).toEqual([]);
  });
});

it("readCancels tells each failure once, and the cancels that it could read", async () => {
  const storage = new InMemoryStorage();
  await putCancel(storage, "r2", "read");
  const failing = Object.assign(new InMemoryStorage(), {
    listMany: undefined,
    list: async (namespace: string, prefix = "") => {
      if (prefix.startsWith("r2/")) return await storage.list(namespace, prefix);
      throw new TroupeError("storage_corrupt", prefix === "r4/cancel" ? "Other." : "Damaged.");
    },
  }) as unknown as RunStorage;
  const errors: unknown[] = [];
  const cancels = await readCancels(failing, ["r1", "r2", "r3", "r4"], (error) => errors.push(error));
  expect([...cancels]).toEqual([["r2", { reason: "read" }]]);
  expect(errors).toMatchObject([{ message: "Damaged." }, { message: "Other." }]);
});

it.each<[stored: Json, cancel: object]>([
  [{ v: 1 }, {}],
  [{ v: 1, reason: "" }, { reason: "" }],
  [{ v: 1, reason: 5 }, {}],
  ["enough", {}],
])("a stored cancel %j is read as %j", async (stored, cancel) => {
  const storage = new InMemoryStorage();
  await storage.set("run-inbox", "r1/cancel", stored);
  expect(await readCancel(storage, "r1")).toStrictEqual(cancel);
});

it.each<[stored: Json, answer: Json]>([
  [{ v: 1 }, null],
  [{ v: 1, answer: false }, false],
  ["yes", null],
])("a stored answer %j is read as %j", async (stored, answer) => {
  const storage = new InMemoryStorage();
  await storage.set("run-inbox", "r1/t.0", stored);
  expect((await readInbox(storage, "r1")).answers.get("t.0")).toBe(answer);
});

it("an inbox has the answers behind its first page", async () => {
  const storage = new InMemoryStorage();
  for (let at = 0; at < 101; at++) await putAnswer(storage, { runId: "r1", waitId: `t.${at}` }, at);
  expect((await readInbox(storage, "r1")).answers.size).toBe(101);
});

describe("findWait", () => {
  it("finds a wait in the record, and else in the log of the run, the first of an id", async () => {
    const storage = new InMemoryStorage();
    const logged = [wait("t.1", "first"), wait("t.0"), wait("t.1", "second")];
    for (const [index, each] of logged.entries()) {
      const entries = [
        { t: "chunks", step: "", chunks: [] },
        { t: "wait", wait: each, performedMs: 0 },
      ] as const;
      await storage.set("run-log", logKey("r1", index + 1), logRecord(entries) as unknown as Json);
    }
    const record = newRecord({ runId: "r1", createdAt: 1, waits: [wait("t.2"), wait("t.0", "stopped")] });
    const found = await Promise.all(["t.0", "t.1", "t.2", "t.3", "t"].map((id) => findWait(storage, record, id)));
    expect(found).toEqual([wait("t.0", "stopped"), wait("t.1", "first"), wait("t.2"), undefined, undefined]);
    expect(await findWait(storage, newRecord({ runId: "r2", createdAt: 1 }), "t.1")).toBeUndefined();
  });
});

type Wait = Parameters<typeof checkAnswer>[0];

describe("checkAnswer", () => {
  it.each<[kind: Wait["kind"], answer: object]>([
    ["approval", { approved: true, reason: "fine" }],
    ["approval", { approved: false, reason: "no" }],
    ["approval", { approved: true, args: {} }],
    ["input", { result: { a: [1] } }],
    ["input", { error: "" }],
    ["doubt", { choice: "happened", result: 0 }],
    ["upgrade", { choice: "again" }],
    ["upgrade", { choice: "giveUp" }],
  ])("returns the answer to a wait for %s as it is: %j", (kind, answer) => {
    expect(checkAnswer({ kind }, answer)).toStrictEqual(answer);
  });

  it.each<[kind: Wait["kind"], answer: unknown, message: RegExp]>([
    ["approval", undefined, /the answer/],
    ["approval", { approved: "yes" }, /approved/],
    ["approval", {}, /approved/],
    ["approval", { approved: true, args: [] }, /args must be an object/],
    ["approval", { approved: true, reason: 1 }, /reason/],
    ["approval", { approved: true, result: 1 }, /"result"/],
    ["approval", { approved: false, args: {} }, /^args must be left out of an answer that denies the call\.$/],
    ["input", {}, /^The answer must have either result/],
    ["doubt", { choice: "happened" }, /^result, the result that the call had/],
    ["approval", { approved: true, args: { n: () => 1 } }, /^The answer must be JSON\.$/],
    ["input", { error: 1 }, /error/],
    ["doubt", { choice: "maybe" }, /choice/],
    ["upgrade", { choice: "happened" }, /choice/],
    ["upgrade", { choice: "again", result: 1 }, /"result"/],
    ["upgrade", {}, /choice/],
  ])("refuses an answer to a wait for %s: %j", (kind, answer, message) => {
    const check = () => checkAnswer({ kind }, answer);
    const refusal = { code: "invalid_request", message: expect.stringMatching(message) };
    expect(check).toThrow(expect.objectContaining(refusal));
  });

  it("says where the arguments do not fit the tool", () => {
    const argsSchema = {
      type: "object",
      properties: { to: { type: "object", properties: { n: { type: "number" } } } },
    };
    const check = () => checkAnswer({ kind: "approval", argsSchema }, { approved: true, args: { to: { n: "x" } } });
    expect(check).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/^The arguments of the answer do not fit the tool:\n.*args\.to\.n/),
      }),
    );
  });

  it.each<[Json]>([[{ type: "no such type" }], [{ $ref: "https://example.com/schema" }], ["text"], [true]])(
    "takes any arguments where the schema cannot be checked: %j",
    (argsSchema) => {
      const answer = { approved: true, args: { n: "x" } };
      expect(checkAnswer({ kind: "approval", argsSchema }, answer)).toEqual(answer);
    },
  );
});
