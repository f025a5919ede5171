import { describe, expect, it } from "vitest";
import type { TaskRun } from "../tasks/task-runs.ts";
import type { PushCall } from "../wire/call.ts";
import { dialect03 } from "../wire/dialect-0.ts";
import { dialect1 } from "../wire/dialect-1.ts";
import type { Dialect } from "../wire/dialect.ts";
import { answerPush, setPush } from "./answer-push.ts";
import type { NewConfig, PushSender } from "./push-sender.ts";

const owner = { userId: "ada" };
const task = { run: { runId: "t" } } as unknown as TaskRun;
const url = "https://hooks.example/a2a";
const configOf = (id: string) => ({ id, url });

/** Answers calls about the configs of a task, and notes what the sender of notifications is told. */
function answering(dialect: Dialect, ids: readonly string[] = []) {
  const told: unknown[][] = [];
  const push = {
    check: async (...given: unknown[]) => await Promise.resolve(void told.push(["check", ...given])),
    set: async (...given: unknown[]) => await Promise.resolve(void told.push(["set", ...given])),
    delete: async (...given: unknown[]) => await Promise.resolve(void told.push(["delete", ...given])),
    list: async (...given: unknown[]) => {
      told.push(["list", ...given]);
      return await Promise.resolve(ids.map(configOf));
    },
  } as unknown as PushSender;
  const facts = { push, dialect, owner };
  return { answer: async (call: PushCall) => await answerPush(call, task, facts), facts, told };
}

describe("a config that a client sets", () => {
  it("is checked, and then kept for the events from then on", async () => {
    const { answer, told } = answering(dialect1);
    const given = { id: "p", url, token: "k" };
    expect(await answer({ op: "set-push", id: "t", config: given })).toEqual({ taskId: "t", ...given });
    const kept: NewConfig = { config: given, dialect: dialect1, owner, fromStart: false };
    expect(told).toEqual([
      ["check", given],
      ["set", task, kept],
    ]);
  });

  it("is not kept where its address is refused", async () => {
    const kept: unknown[] = [];
    const check = async () => await Promise.reject(new Error("refused"));
    const push = { check, set: (given: unknown) => kept.push(given) } as unknown as PushSender;
    const setting = answerPush({ op: "set-push", id: "t", config: { url } }, task, { push, dialect: dialect1, owner });
    await expect(setting).rejects.toThrow("refused");
    expect(kept).toEqual([]);
  });

  it("has without an id the default one in 0.x, and a new one each in 1.0", async () => {
    const of0 = await setPush(task, { url }, { ...answering(dialect03).facts, fromStart: true });
    expect(of0).toEqual(configOf("default"));
    const { facts, told } = answering(dialect1);
    const [one, other] = [
      await setPush(task, { url }, { ...facts, fromStart: true }),
      await setPush(task, { url }, { ...facts, fromStart: true }),
    ];
    expect(one).toEqual({ id: expect.stringMatching(/^[\da-f-]{36}$/), url });
    expect(other.id).not.toBe(one.id);
    expect(told[0]).toEqual(["set", task, { config: one, dialect: dialect1, owner, fromStart: true }]);
  });
});

describe("a config that a client asks for", () => {
  it.each([
    [["a", "b"], "b", "b"],
    [["a", "b"], undefined, "a"],
    [["a", "default"], "default", "default"],
    [["a"], "default", "a"],
  ])("a config that a client asks for of %j by the id %s is %s", async (ids, configId, found) => {
    const { answer, told } = answering(dialect1, ids);
    const call: PushCall = { op: "get-push", id: "t", ...(configId !== undefined && { configId }) };
    expect(await answer(call)).toEqual({ taskId: "t", id: found, url });
    expect(told).toEqual([["list", task, owner]]);
  });

  it.each([
    [["a", "b"], "default"],
    [["a"], "b"],
    [[], "default"],
    [[], undefined],
  ])("a config that a client asks for of %j by the id %s is none", async (ids, configId) => {
    const call: PushCall = { op: "get-push", id: "t", ...(configId !== undefined && { configId }) };
    const message = "The task has no push notification config of this id.";
    await expect(answering(dialect1, ids).answer(call)).rejects.toMatchObject({ kind: "task-not-found", message });
  });
});

describe("a listing of configs", () => {
  const ids = ["a", "b", "c"];
  it.each([
    [{}, ids, ""],
    [{ pageSize: 0 }, ids, ""],
    [{ pageSize: 3 }, ids, ""],
    [{ pageSize: 2 }, ["a", "b"], "2"],
    [{ pageSize: 2, pageToken: "2" }, ["c"], ""],
    [{ pageSize: 1, pageToken: "1" }, ["b"], "2"],
    [{ pageToken: "1" }, ["b", "c"], ""],
    [{ pageToken: "9999" }, [], ""],
  ])("asked for by %j has %j", async (asked, found, nextPageToken) => {
    const page = await answering(dialect1, ids).answer({ op: "list-push", id: "t", ...asked });
    expect(page).toEqual({ configs: found.map((id) => ({ taskId: "t", id, url })), nextPageToken });
  });

  it.each(["-1", "1.5", "x", " 1", "10000"])("refuses the token %j", async (pageToken) => {
    const message = "params.pageToken must be the nextPageToken of the page before.";
    const listing = answering(dialect1, ids).answer({ op: "list-push", id: "t", pageToken });
    await expect(listing).rejects.toMatchObject({ kind: "invalid-params", message });
  });
});

it.each([
  [dialect03, null],
  [dialect1, {}],
] as const)("a config that is deleted is answered as its version has it: $version", async (dialect, result) => {
  const { answer, told } = answering(dialect);
  expect(await answer({ op: "delete-push", id: "t", configId: "p" })).toEqual(result);
  expect(told).toEqual([["delete", task, owner, "p"]]);
});
