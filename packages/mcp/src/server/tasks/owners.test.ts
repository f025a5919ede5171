import { checkOwners, principals } from "@troupe-internal/fault-tools";
import { CallToolResultSchema, ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import { RunService } from "@troupe/core/runs";
import type { Agent } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serveAgents } from "../../../test/served-agents.ts";
import { serveHttp } from "../../../test/serve-http.ts";
import {
  connectFirst,
  createCashier,
  headersOf,
  ModernClient,
  startTask,
  userOfHeader,
} from "../../../test/task-clients.ts";

/** Of two users and of two tenants: of each there are two who differ in nothing else. */
const users = principals.slice(1, 5);

type User = (typeof users)[number];

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

const shows = [
  "packages/mcp/src/server/tasks/task-runs.ts",
  "packages/mcp/src/server/tasks/serve-tasks.ts",
  "packages/mcp/src/server/read-caller.ts",
];

/** The tasks of one user, by a client of one revision. */
type TaskClient = {
  start: (message: string) => Promise<string>;
  /** Each rejects with the code of the protocol for a task that is not found. */
  status: (taskId: string) => Promise<string>;
  cancel: (taskId: string) => Promise<unknown>;
  result: (taskId: string) => Promise<string>;
  list?: () => Promise<string[]>;
};

const clients: Record<string, (url: string, user: User | undefined) => Promise<TaskClient>> = {
  "2025-11-25": async (url, user) => {
    const client = await connectFirst(url, { headers: user === undefined ? {} : headersOf(user) });
    const { tasks } = client.experimental;
    return {
      start: async (message) => await startTask(client, message),
      status: async (taskId) => (await tasks.getTask(taskId)).status,
      cancel: async (taskId) => await tasks.cancelTask(taskId),
      result: async (taskId) => JSON.stringify(await tasks.getTaskResult(taskId, CallToolResultSchema)),
      list: async () => (await tasks.listTasks()).tasks.map(({ taskId }) => taskId),
    };
  },
  "2026-07-28": async (url, user) => {
    const client = new ModernClient(url, { headers: user === undefined ? {} : headersOf(user) });
    const send = async (method: string, params: object) => {
      const { result, error } = await client.send(method, params);
      if (error !== undefined) throw Object.assign(new Error(error.message), error);
      return result;
    };
    const start = async (message: string) => (await client.call("ask_helper", { message })).taskId;
    return await Promise.resolve({
      start,
      status: async (taskId) => (await send("tasks/get", { taskId })).status,
      cancel: async (taskId) => await send("tasks/cancel", { taskId }),
      result: async (taskId) => JSON.stringify((await send("tasks/get", { taskId })).result),
    });
  },
};

/** Services that keep the runs of tasks: the server's own, and the host's. */
const keepers: Record<string, (agents: Record<string, Agent>) => Promise<RunService | undefined>> = {
  "in memory": async () => await Promise.resolve(undefined),
  durable: async (agents) => {
    const runs = new RunService({ agents });
    await runs.serve();
    onTestFinished(async () => await runs.close());
    return runs;
  },
};

async function serveUsers(keeper: string, revision: string) {
  const { agents } = serveAgents();
  const runs = await keepers[keeper]?.(agents);
  const { url } = await serveHttp({ agents, ...(runs && { runs }) }, [userOfHeader]);
  const made = new Map<User | undefined, TaskClient>();
  for (const user of [...users, undefined]) made.set(user, (await clients[revision]?.(url, user)) as TaskClient);
  return (user?: User) => made.get(user) as TaskClient;
}

async function untilStatus(read: TaskClient["status"], taskId: string, status: string): Promise<void> {
  await vi.waitFor(async () => expect(await read(taskId)).toBe(status), soon);
}

/** Returns what is found, and undefined where nothing is. */
async function orNothing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return await found.catch((error: { code?: number }) => {
    if (error.code === ErrorCode.InvalidParams) return undefined;
    throw error;
  });
}

const cases = [
  { keeper: "in memory", revision: "2025-11-25" },
  { keeper: "in memory", revision: "2026-07-28" },
  // Its list is another one.
  { keeper: "durable", revision: "2025-11-25" },
];

describe.each(cases)(
  "a task of users who differ in one field, of revision $revision, $keeper",
  ({ keeper, revision }) => {
    it("is read by its own user alone [mcp-server.task-owner]", async () => {
      const clientOf = await serveUsers(keeper, revision);
      const marks = new Map<string, string>();
      await checkOwners({
        shows,
        owners: users,
        leave: async (user, mark) => {
          const taskId = await clientOf(user).start(mark);
          await untilStatus(clientOf(user).status, taskId, "completed");
          marks.set(taskId, mark);
        },
        find: async (user) => {
          const { status, result, list } = clientOf(user);
          const found: string[] = [];
          for (const [taskId, mark] of marks) {
            const [known, text] = [await orNothing(status(taskId)), await orNothing(result(taskId))];
            expect(text?.includes(mark)).toBe(known === undefined ? undefined : true);
            if (known !== undefined) found.push(mark);
          }
          const listed = (await list?.())?.map((taskId) => marks.get(taskId));
          expect(listed ?? found).toEqual(found);
          return found;
        },
      });
      const { status } = clientOf();
      for (const taskId of marks.keys()) expect(await orNothing(status(taskId))).toBeUndefined();
    });

    it("is cancelled by its own user alone [mcp-server.task-owner]", async () => {
      const clientOf = await serveUsers(keeper, revision);
      const started: { taskId: string; mark: string; of: User }[] = [];
      await checkOwners({
        shows,
        owners: users,
        leave: async (of, mark) => started.push({ taskId: await clientOf(of).start("hang"), mark, of }),
        find: async (user) => {
          const own = started.filter(({ of }) => of === user);
          const looks = own.map(async ({ taskId, mark }) => [await clientOf(user).status(taskId), mark]);
          return (await Promise.all(looks)).flatMap(([status, mark = ""]) => (status === "working" ? [mark] : []));
        },
        remove: async (user) => {
          const { cancel, status } = clientOf(user);
          for (const { taskId, of } of started) {
            const cancelled = await orNothing(cancel(taskId));
            expect(cancelled !== undefined).toBe(of === user);
            if (of === user) await untilStatus(status, taskId, "cancelled");
          }
        },
      });
    });
  },
);

describe("a task that waits, of users who differ in one field", () => {
  it("is answered by its own user alone [mcp-server.task-owner]", async () => {
    const { cashier } = createCashier();
    const { url } = await serveHttp({ agents: { cashier } }, [userOfHeader]);
    const clientOf = (user: User) =>
      new ModernClient(url, { headers: headersOf(user), capabilities: { elicitation: {} } });
    const waiting: { taskId: string; mark: string; of: User }[] = [];
    const statusOf = (user: User) => async (taskId: string) => (await clientOf(user).get(taskId)).status;
    const update = async (user: User, taskId: string) =>
      await clientOf(user).send("tasks/update", { taskId, inputResponses: { "t.0.0": { action: "accept" } } });
    await checkOwners({
      shows,
      owners: users,
      leave: async (of, mark) => {
        const { taskId } = await clientOf(of).call("ask_cashier", { message: "Pay." });
        await untilStatus(statusOf(of), taskId, "input_required");
        waiting.push({ taskId, mark, of });
      },
      find: async (user) => {
        const looks = waiting.map(
          async ({ taskId, mark }) => [await clientOf(user).send("tasks/get", { taskId }), mark] as const,
        );
        return (await Promise.all(looks)).flatMap(([{ result }, mark]) =>
          result?.status === "input_required" ? [mark] : [],
        );
      },
      remove: async (user) => {
        for (const { taskId, of } of waiting) {
          const { error } = await update(user, taskId);
          expect(error?.code).toBe(of === user ? undefined : ErrorCode.InvalidParams);
          if (of === user) await untilStatus(statusOf(user), taskId, "completed");
        }
      },
    });
  });
});
