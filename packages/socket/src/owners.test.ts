import { checkOwners, principals } from "@troupe-internal/fault-tools";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { durable, payer } from "../test/stored.ts";
import { serveUsers } from "../test/test-client.ts";
import type { ServedUsers, TestClient } from "../test/test-client.ts";

/** A user who is signed in, or one who is only claimed in a payload. */
type User = { userId?: string; tenantId?: string; verified?: boolean };

/** Users of two names and of two tenants, so that of each there are two who differ in nothing else. */
const users: readonly User[] = principals.slice(1, 5);
const withClaimed: readonly User[] = [...users, { userId: "ada" }, { userId: "ada", verified: false }];

const shows = ["packages/socket/src/answer-requests.ts", "packages/socket/src/read-request.ts"];

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

const run = { name: "a", input: "Hi" };

/** The user as a client signs in, if that is more than a claim. */
function authOf({ userId: user, tenantId: tenant, verified = true }: User): { user?: string; tenant?: string } {
  return verified && user !== undefined ? { user, ...(tenant !== undefined && { tenant }) } : {};
}

/** The fields of a payload that claim a user. */
const claimOf = ({ userId, verified = true }: User): object => (verified ? {} : { userId });

/** Connects a client for each user. */
async function joinAll({ join }: ServedUsers, all: readonly User[]): Promise<(user: User) => TestClient> {
  const joined = await Promise.all(all.map(async (user) => [user, await join({ auth: authOf(user) })] as const));
  const clients = new Map(joined);
  return (user) => clients.get(user) as TestClient;
}

/** Has a client ask for each run. Returns the marks of those that it reached. All others are not found. */
async function reached(
  begun: ReadonlyMap<string, string>,
  ask: (runId: string) => Promise<Record<string, unknown>>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [runId, mark] of begun) {
    const { code } = await ask(runId);
    if (code === undefined) found.push(mark);
    else if (code !== "not_found") throw new Error(`Expected not_found, got ${JSON.stringify(code)}.`);
  }
  return found;
}

/**
 * An agent that says "1 ", and "2 " when all runs are let go. `running`: what was said to it in runs that are not over; `finished`:
 * in those that said all.
 */
function holder() {
  const [running, finished] = [new Set<string>(), new Set<string>()];
  let gate = Promise.withResolvers<void>();
  const model = new ScriptedModel();
  model.stream = async function* stream(messages, options) {
    const said = messages.at(-1)?.content as string;
    running.add(said);
    yield { type: "text", text: "1 " };
    const left = new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    await Promise.race([gate.promise, left]);
    running.delete(said);
    options?.signal?.throwIfAborted();
    finished.add(said);
    yield { type: "text", text: "2 " };
    yield { type: "finish", finishReason: "stop" };
  };
  const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });
  const release = (): void => {
    gate.resolve();
    gate = Promise.withResolvers();
  };
  return { agent, running, finished, release };
}

/** An agent that tells all that was said to it in a session. */
function teller(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; ");
  });
  return new Agent({ name: "a", model, storage: new InMemoryStorage() });
}

describe("users who differ in one field", () => {
  it("cancel their own run alone [socket.cancel]", async () => {
    const { agent, running } = holder();
    const clientOf = await joinAll(await serveUsers({ agents: { a: agent } }), users);
    const begun = new Map<string, string>();
    const own = new Map<User, string>();
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, input) => {
        const { runId } = await clientOf(user).ask("agent.run", { ...run, input });
        begun.set(String(runId), input);
        own.set(user, input);
        await vi.waitFor(() => expect(running).toContain(input), soon);
      },
      find: async (user) => await Promise.resolve([own.get(user) ?? ""].filter((mark) => running.has(mark))),
      remove: async (user) => {
        const mark = own.get(user) ?? "";
        expect(await reached(begun, async (runId) => await clientOf(user).ask("agent.cancel", { runId }))).toEqual([
          mark,
        ]);
        await vi.waitFor(() => expect(running).not.toContain(mark), soon);
        for (const [runId, each] of begun) if (each === mark) begun.delete(runId);
      },
    });
  });

  it("attach to their own durable run alone, and answer its question [socket.attach] [socket.answer]", async () => {
    const { agent, paid } = payer();
    const runs = await durable({ agents: { a: agent } });
    const served = await serveUsers({ agents: { a: agent }, runs });
    const [clientOf, nobody] = [await joinAll(served, users), await served.join()];
    const begun = new Map<string, string>();
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => {
        const { runId } = await clientOf(user).ask("agent.run", run);
        await clientOf(user).until(({ name, payload }) => name === "agent.wait" && payload["runId"] === runId);
        begun.set(String(runId), mark);
      },
      find: async (user) => await reached(begun, async (runId) => await clientOf(user).ask("agent.attach", { runId })),
      remove: async (user) => {
        const count = paid.length;
        const answer = { waitId: "t.0.0", answer: { approved: true } };
        const own = await reached(
          begun,
          async (runId) => await clientOf(user).ask("agent.answer", { runId, ...answer }),
        );
        await vi.waitFor(() => expect(paid).toHaveLength(count + 1), soon);
        expect(await reached(begun, async (runId) => await nobody.ask("agent.attach", { runId }))).toEqual([]);
        for (const [runId, mark] of begun) if (own.includes(mark)) begun.delete(runId);
      },
    });
  });

  it("have a session each under one id, also those who are only claimed [socket.principal]", async () => {
    const clientOf = await joinAll(await serveUsers({ agents: { a: teller() } }), withClaimed);
    const say = async (user: User, input: string) => {
      const { payload } = await clientOf(user).run({ ...run, ...claimOf(user), input, sessionId: "s" });
      return (payload["output"] as { text: string }).text;
    };
    await checkOwners({
      shows,
      owners: withClaimed,
      leave: say,
      find: async (user) => (await say(user, "What?")).split("; ").filter((text) => text !== "What?"),
    });
  });

  it("have a run each under one key, also those who are only claimed [socket.idempotency]", async () => {
    const clientOf = await joinAll(await serveUsers({ agents: { a: teller() } }), withClaimed);
    const begun = new Map<unknown, string>();
    const ask = async (user: User) =>
      (await clientOf(user).ask("agent.run", { ...run, ...claimOf(user), sessionId: "s", idempotencyKey: "k" }))[
        "runId"
      ];
    await checkOwners({
      shows,
      owners: withClaimed,
      leave: async (user, mark) => begun.set(await ask(user), mark),
      find: async (user) => [begun.get(await ask(user)) ?? "another"],
    });
  });
});

describe("a connection that comes back", () => {
  it("keeps the runs of its user, and none of one who differs in one field [socket.recovery]", async () => {
    const { agent, running, finished, release } = holder();
    const recovery = { maxDisconnectionDuration: 60_000, skipMiddlewares: false };
    const { join } = await serveUsers({ agents: { a: agent } }, { connectionStateRecovery: recovery });
    const back = { reconnection: true, reconnectionDelay: 1, reconnectionDelayMax: 1 };
    const comeBack = async (before: User, after: User, input: string) => {
      const client = await join({ auth: authOf(before), ...back });
      const { runId } = await client.ask("agent.run", { ...run, input });
      await client.until(() => client.textOf(runId) === "1 ");
      client.socket.auth = authOf(after);
      client.socket.io.engine.close();
      await vi.waitFor(() => expect(client.socket.recovered && client.socket.connected).toBe(true), soon);
      return async () => {
        if (finished.delete(input)) await client.endOf(String(runId));
        return client.textOf(runId) === "1 2 " ? [input] : [];
      };
    };
    const marks = new Map<User, string>();
    await checkOwners({
      shows: ["packages/socket/src/socket-client.ts", "packages/socket/src/create-agent-gateway.ts"],
      owners: [...users, {}],
      leave: async (user, mark) => await Promise.resolve(marks.set(user, mark)),
      find: async (after) => {
        const ended = await Promise.all([...marks].map(async ([before, mark]) => await comeBack(before, after, mark)));
        release();
        await vi.waitFor(() => expect(running.size).toBe(0), soon);
        return (await Promise.all(ended.map(async (end) => await end()))).flat();
      },
    });
  });
});

describe("the bytes that a user does not read", () => {
  it("hold up the user's own runs, and none of one who differs in one field [socket.stopped-reader]", async () => {
    // Its looks would give the client up after two seconds.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const served = await serveUsers({ agents: { a: teller() }, maxTotalBufferedBytes: 100_000 });
    const clientOf = await joinAll(served, users);
    const marks = new Map<User, string>();
    await checkOwners({
      shows: [
        "packages/socket/src/socket-client.ts",
        "packages/socket/src/connection-buffer.ts",
        "packages/socket/src/send-budget.ts",
      ],
      owners: users,
      leave: async (user, mark) => await Promise.resolve(marks.set(user, mark)),
      find: async (user) => {
        const stopped = await served.join({ auth: authOf(user) });
        const connection = served.io.of("/service").sockets.get(stopped.socket.id ?? "")?.conn;
        connection?.emit("packetCreate", { data: "x".repeat(60_000) });
        const heldUp = new Set(users);
        const runs = users.map(
          async (each) =>
            await clientOf(each)
              .run(run)
              .then(() => heldUp.delete(each)),
        );
        await vi.waitFor(() => expect(heldUp.size).toBeLessThanOrEqual(1), soon);
        const found = [...heldUp].map((each) => marks.get(each) ?? "");
        stopped.close();
        await Promise.all(runs);
        return found;
      },
    });
  });
});
