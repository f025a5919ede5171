import { TroupeError } from "@troupe/core";
import type { RunListOptions, RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import type { ListCall } from "../wire/call.ts";
import { listTasks } from "./list-tasks.ts";
import { noteOf, noteWith } from "./task-history.ts";
import type { TaskRuns } from "./task-runs.ts";
import { toTask } from "./task-view.ts";

const form = { repeatsAnswer: false };
const owner = { userId: "ada" };
const asked = (messageId: string) => ({
  messageId,
  role: "user" as const,
  parts: [{ kind: "text" as const, text: "Hi" }],
});
const note = noteWith(noteOf(asked("m1")), [asked("m2")]);

/** A run that is over since a time. */
function runOf(runId: string, endedAt: number, fields: Partial<RunView> = {}): RunView {
  const facts = { kind: "agent", name: "helper", sessionId: "s", createdAt: 1, attempts: 1, note } as const;
  return { ...facts, runId, status: "completed", endedAt, output: { text: "Rain.", usage: {} }, ...fields };
}

/** Makes the runs of services that list two at a time, and notes what they are asked. */
function servicesOf(...services: RunView[][]) {
  const listed: { owner: unknown; options: RunListOptions }[] = [];
  const gone = new Set<string>();
  const made = services.map((runs) => ({
    list: async (by: unknown, options: RunListOptions) => {
      listed.push({ owner: by, options });
      const start = Number(options.after ?? 0);
      const page = runs.slice(start, start + 2);
      return await Promise.resolve({ runs: page, ...(start + 2 < runs.length && { next: String(start + 2) }) });
    },
    get: async (runId: string, by: unknown) => {
      const found = by === owner && !gone.has(runId) ? runs.find((run) => run.runId === runId) : undefined;
      return found === undefined
        ? await Promise.reject(new TroupeError("not_found", "Gone."))
        : await Promise.resolve(found);
    },
  }));
  return { runs: { services: made } as unknown as TaskRuns, listed, gone };
}

const call = (fields: Partial<ListCall> = {}): ListCall => ({
  op: "list",
  pageSize: 50,
  hasArtifacts: false,
  ...fields,
});
const list = async (runs: TaskRuns, fields: Partial<ListCall> = {}) =>
  await listTasks(runs, call(fields), { owner, form });
const idsOf = ({ tasks }: { tasks: readonly { id: string }[] }) => tasks.map(({ id }) => id);

const some = [
  [runOf("b", 5), runOf("d", 9), runOf("a", 5)],
  [runOf("c", 7, { sessionId: "s2" }), runOf("w", 8, { kind: "workflow" })],
];

describe("a listing of tasks", () => {
  it("rejects with a failure of the storage that keeps artifacts, and does not leave them out", async () => {
    const failure = new TroupeError("storage_unavailable", "Down.");
    const [page, get] = [{ runs: [runOf("a", 5)] }, async () => await Promise.reject(failure)];
    const services = [{ list: async () => await Promise.resolve(page), get }];
    const runs = { services } as unknown as TaskRuns;

    await expect(listTasks(runs, call({ hasArtifacts: true }), { owner, form })).rejects.toBe(failure);
  });

  it("has those of all services, the newest status first, then by id, without workflows", async () => {
    const { runs, listed } = servicesOf(...some);
    const page = await list(runs);
    expect({ ...page, tasks: idsOf(page) }).toEqual({
      tasks: ["d", "c", "a", "b"],
      nextPageToken: "",
      pageSize: 50,
      totalSize: 4,
    });
    const options = { limit: 100, hasOutputs: true };
    expect(listed).toEqual([
      { owner, options },
      { owner, options: { ...options, after: "2" } },
      { owner, options },
    ]);
  });

  it("has nothing for a caller without a user, and asks for nothing", async () => {
    const { runs, listed } = servicesOf(...some);
    expect(await listTasks(runs, call({ pageSize: 3 }), { owner: { tenantId: "t" }, form })).toEqual({
      tasks: [],
      nextPageToken: "",
      pageSize: 3,
      totalSize: 0,
    });
    expect(listed).toEqual([]);
  });

  it.each<[Partial<ListCall>, string[]]>([
    [{ contextId: "s2" }, ["c"]],
    [{ contextId: "none" }, []],
    [{ state: "completed" }, ["d", "c", "a", "b"]],
    [{ state: "failed" }, []],
    [{ since: 7 }, ["d", "c"]],
    [{ since: 8 }, ["d"]],
    [{ since: 0, state: "completed", contextId: "s" }, ["d", "a", "b"]],
  ])("has what is asked for: %j", async (fields, ids) => {
    const page = await list(servicesOf(...some).runs, fields);
    expect([idsOf(page), page.totalSize]).toEqual([ids, ids.length]);
  });

  it.each([1, 2, 3, 4])("has each task once, in pages of %i", async (pageSize) => {
    const { runs } = servicesOf(...some);
    const seen: string[][] = [];
    for (let pageToken: string | undefined; pageToken !== "";) {
      const page = await list(runs, { pageSize, ...(pageToken !== undefined && { pageToken }) });
      seen.push(idsOf(page));
      expect([page.totalSize, page.pageSize]).toEqual([4, pageSize]);
      pageToken = page.nextPageToken;
    }
    expect(seen.flat()).toEqual(["d", "c", "a", "b"]);
    expect(seen).toHaveLength(Math.ceil(4 / pageSize));
  });

  it("goes on behind the place of a page, whatever came and went meanwhile", async () => {
    const { nextPageToken: pageToken } = await list(servicesOf(...some).runs, { pageSize: 2 });
    const { runs } = servicesOf([runOf("new", 20), runOf("a0", 7), runOf("c1", 7), runOf("b", 5)]);
    expect(idsOf(await list(runs, { pageToken }))).toEqual(["c1", "b"]);
  });

  const tokenOf = (text: string) => Buffer.from(text).toString("base64url");
  it.each([
    "x",
    tokenOf("5"),
    tokenOf("5."),
    tokenOf(".a"),
    tokenOf("-5.a"),
    tokenOf("5.a b"),
    tokenOf(`5.${"a".repeat(65)}`),
    tokenOf("1".repeat(16) + ".a"),
  ])("refuses the token %s", async (pageToken) => {
    await expect(list(servicesOf(...some).runs, { pageToken })).rejects.toMatchObject({
      kind: "invalid-params",
      message: "params.pageToken must be the nextPageToken of the page before.",
    });
  });

  it("takes an id of 64 characters in a token", async () => {
    const pageToken = tokenOf(`${"9".repeat(15)}.${"a".repeat(62)}-_`);
    expect(idsOf(await list(servicesOf(...some).runs, { pageToken }))).toEqual(["d", "c", "a", "b"]);
  });

  it("reads no page of a service behind the newest 1,000 tasks", async () => {
    const many = Array.from({ length: 1005 }, (_, index) => runOf(`r${index}`, 2000 - index));
    const { runs, listed } = servicesOf(many);
    expect((await list(runs)).totalSize).toBe(1000);
    expect(listed).toHaveLength(500);
  });
});

describe("a task in a listing", () => {
  it("is without artifacts and metadata, with the history that is asked for", async () => {
    const { metadata: _, ...task } = toTask(runOf("a", 5), form);
    const { runs } = servicesOf([runOf("a", 5)]);
    expect((await list(runs)).tasks).toEqual([{ ...task, artifacts: [] }]);
    expect((await list(runs, { historyLength: 1 })).tasks).toEqual([
      { ...task, artifacts: [], history: task.history.slice(1) },
    ]);
    expect((await list(runs, { historyLength: 0 })).tasks).toMatchObject([{ history: [] }]);
  });

  it("is whole where its artifacts are asked for, unless it was removed meanwhile", async () => {
    const [whole, removed] = ["a", "b"].map((id) => toTask(runOf(id, 5), form));
    const { runs, gone } = servicesOf([runOf("a", 5), runOf("b", 5)]);
    gone.add("b");
    const { metadata: _, ...brief } = removed ?? {};
    const { tasks } = await list(runs, { hasArtifacts: true, historyLength: 1 });
    expect(tasks).toEqual([
      { ...whole, history: whole?.history.slice(1) },
      { ...brief, artifacts: [], history: removed?.history.slice(1) },
    ]);
  });
});
