import { checkOwners } from "@troupe-internal/fault-tools";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { durable, payer, serveUsers } from "../../test/stored-runs.ts";
import { askAs, claimOf, forget, hanging, headersOf, reached, teller, users, withClaimed } from "../../test/owners.ts";
import type { User } from "../../test/owners.ts";
import type { Service } from "../../test/service.ts";

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

const runFiles = ["packages/http/src/routes/stored-run-routes.ts", "packages/http/src/request/read-run-request.ts"];

type Asked = { headers?: Record<string, string>; input?: unknown; sessionId?: string };

/** Runs the agent for a user, and returns the answer. */
async function run(service: Service, user: User, { headers = {}, ...body }: Asked) {
  const sent = { input: "Hi", ...claimOf(user), ...body };
  return await service.post("/agents/a/run", sent, { ...headersOf(user), ...headers });
}

/** Streams whose bodies no test reads. One that nobody holds is closed when memory is collected, and its run is cancelled. */
const held = new Set<Response>();

/** Runs the agent for a user, and returns the stream that has begun, which stays open until the end of the test. */
async function stream({ port }: Service, user: User, { headers = {}, ...body }: Asked): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${port}/agents/a/stream`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headersOf(user), ...headers },
    body: JSON.stringify({ input: "Hi", ...claimOf(user), ...body }),
  });
  held.add(response);
  onTestFinished(() => void held.delete(response));
  return response;
}

const background = { prefer: "respond-async" };

describe("users who differ in one field", () => {
  it("cancel their own run alone, also those who are only claimed [http.cancel-reach]", async () => {
    const { agent, running } = hanging();
    const service = await serveUsers({ agents: { a: agent } });
    const begun = new Map<string, string>();
    const own = new Map<User, string>();
    await checkOwners({
      shows: runFiles,
      owners: withClaimed,
      leave: async (user, input) => {
        const { headers } = await stream(service, user, { input });
        begun.set(headers.get("x-run-id") ?? "", input);
        own.set(user, input);
        await vi.waitFor(() => expect(running).toContain(input), soon);
      },
      find: async (user) => await Promise.resolve([own.get(user) ?? ""].filter((mark) => running.has(mark))),
      remove: async (user) => {
        const mark = own.get(user) ?? "";
        const cancel = async (runId: string) => await askAs(service, user, `POST /runs/${runId}/cancel`);
        expect(await reached(begun, cancel)).toEqual([mark]);
        await vi.waitFor(() => expect(running).not.toContain(mark), soon);
        forget(begun, [mark]);
      },
    });
  });

  it("read, list and delete their own durable run alone [http.foreign-run] [http.list-runs]", async () => {
    const agent = teller();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const begun = new Map<string, string>();
    const ask =
      (user: User | undefined, method: string, more = "") =>
      async (runId: string) =>
        await askAs(service, user, `${method} /runs/${runId}${more}`);
    await checkOwners({
      shows: runFiles,
      owners: users,
      leave: async (user, mark) => begun.set((await run(service, user, {})).headers.get("x-run-id") ?? "", mark),
      find: async (user) => {
        const found = await reached(begun, ask(user, "GET"));
        expect(await reached(begun, ask(user, "GET", "/events"))).toEqual(found);
        const { runs } = (await askAs(service, user, "GET /runs")).json as { runs: { runId: string }[] };
        expect(runs.map(({ runId }) => begun.get(runId))).toEqual(found);
        return found;
      },
      remove: async (user) => {
        expect(await reached(begun, ask(undefined, "DELETE"))).toEqual([]);
        forget(begun, await reached(begun, ask(user, "DELETE")));
      },
    });
  });

  it("read, list, change and remove their own schedule alone [http.foreign-run]", async () => {
    const agent = teller();
    const runs = await durable({ agents: { a: agent } });
    const service = await serveUsers({ agents: { a: agent }, runs, schedules: true });
    const made = new Map<string, string>();
    const ask = (user: User, method: string) => async (id: string) =>
      await askAs(service, user, `${method} /schedules/${id}`);
    const pause = (user: User) => async (id: string) =>
      await service.ask(`/schedules/${id}`, {
        method: "PATCH",
        headers: { ...headersOf(user), "content-type": "application/json" },
        body: '{"status":"paused"}',
      });
    await checkOwners({
      shows: ["packages/http/src/routes/schedule-routes.ts"],
      owners: users,
      leave: async (user, mark) => {
        const sent = { kind: "agent", name: "a", input: mark, everyMs: 3_600_000 };
        const { json } = await service.post("/schedules", sent, headersOf(user));
        made.set((json as { id: string }).id, mark);
      },
      find: async (user) => {
        const found = await reached(made, ask(user, "GET"));
        expect(await reached(made, pause(user))).toEqual(found);
        const { schedules } = (await askAs(service, user, "GET /schedules")).json as { schedules: { id: string }[] };
        expect(new Set(schedules.map(({ id }) => made.get(id)))).toEqual(new Set(found));
        return found;
      },
      remove: async (user) => forget(made, await reached(made, ask(user, "DELETE"))),
    });
  });

  it("answer and cancel their own durable run alone [http.foreign-run] [http.answers]", async () => {
    const { agent, paid } = payer();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const begun = new Map<string, string>();
    const stateOf = async (user: User, runId: string) =>
      ((await askAs(service, user, `GET /runs/${runId}`)).json as { status?: string }).status;
    const begin = async (user: User) => {
      const runId = (await run(service, user, { headers: background })).headers.get("x-run-id") ?? "";
      await vi.waitFor(async () => expect(await stateOf(user, runId)).toBe("waiting"), soon);
      return runId;
    };
    const answerAs = (user: User | undefined) => async (runId: string) => {
      const headers = user === undefined ? {} : headersOf(user);
      return await service.post(`/runs/${runId}/answers/t.0.0`, { approved: true }, headers);
    };
    const cancelAs = (user: User | undefined) => async (runId: string) =>
      await askAs(service, user, `POST /runs/${runId}/cancel`);
    await checkOwners({
      shows: runFiles,
      owners: users,
      leave: async (user, mark) => begun.set(await begin(user), mark),
      find: async (user) => await reached(begun, async (runId) => await askAs(service, user, `GET /runs/${runId}`)),
      remove: async (user) => {
        const count = paid.length;
        expect(await reached(begun, answerAs(undefined))).toEqual([]);
        expect(await reached(begun, cancelAs(undefined))).toEqual([]);
        const own = await reached(begun, answerAs(user));
        await vi.waitFor(() => expect(paid).toHaveLength(count + 1), soon);
        expect(await reached(begun, cancelAs(user))).toEqual(own);
        forget(begun, own);
      },
    });
  });

  it("have a run each under one key, also those who are only claimed [http.idempotency-key]", async () => {
    const service = await serveUsers({ agents: { a: teller() } });
    const begun = new Map<unknown, string>();
    const ask = async (user: User) => {
      const { headers } = await run(service, user, { sessionId: "s", headers: { "idempotency-key": "k" } });
      return headers.get("x-run-id");
    };
    await checkOwners({
      shows: runFiles,
      owners: withClaimed,
      leave: async (user, mark) => begun.set(await ask(user), mark),
      find: async (user) => [begun.get(await ask(user)) ?? "another"],
    });
  });

  it("have a session each under one id, also those who are only claimed [http.body-user-id]", async () => {
    const service = await serveUsers({ agents: { a: teller() } });
    const say = async (user: User, input: string) => {
      const { json } = await run(service, user, { input, sessionId: "s" });
      return (json as { text: string }).text;
    };
    await checkOwners({
      shows: ["packages/http/src/request/read-run-request.ts"],
      owners: withClaimed,
      leave: say,
      find: async (user) => (await say(user, "What?")).split("; ").filter((text) => text !== "What?"),
    });
    expect((await service.ask("/sessions/s")).status).toBe(404);
  });

  it("list, read, rename and delete their own session alone, with its runs [http.list-sessions] [http.rename-session] [http.delete-session-runs]", async () => {
    const agent = teller();
    const service = await serveUsers({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const read = async (user: User, path: string) =>
      (await askAs(service, user, `GET ${path}`)).json as {
        title?: string;
        turns?: { input: { text: string }[] }[];
        sessions?: { title: string }[];
        runs?: { runId: string }[];
      };
    const marks = new Map<string | null, string>();
    await checkOwners({
      shows: ["packages/http/src/routes/session-routes.ts", "packages/core/src/transport/sessions/served-sessions.ts"],
      // Of a name, the one without a tenant comes last: nothing of it goes with the others.
      owners: users.toReversed(),
      leave: async (user, text) => {
        const data = Buffer.from(text).toString("base64");
        const input = [
          { type: "text", text },
          { type: "file", data, mimeType: "text/plain" },
        ];
        marks.set((await run(service, user, { input, sessionId: "s" })).headers.get("x-run-id"), text);
        const headers = { "content-type": "application/json", ...headersOf(user) };
        await service.ask("/sessions/s", { method: "PATCH", headers, body: JSON.stringify({ title: text }) });
      },
      find: async (user) => {
        const found = ((await read(user, "/sessions/s/turns")).turns ?? []).map(({ input }) => input[0]?.text ?? "");
        const { text, status } = await askAs(service, user, "GET /sessions/s/turns/1/parts/0");
        expect(status === 200 ? [text] : []).toEqual(found);
        const { title } = await read(user, "/sessions/s");
        expect(title === undefined ? [] : [title]).toEqual(found);
        expect((await read(user, "/sessions")).sessions?.map((each) => each.title)).toEqual(found);
        expect((await read(user, "/runs")).runs?.map(({ runId }) => marks.get(runId))).toEqual(found);
        return found;
      },
      remove: async (user) => {
        for (const path of ["/sessions/s/turns?from=2", "/sessions/s"])
          expect((await askAs(service, user, `DELETE ${path}`)).status).toBe(204);
      },
    });
  });

  it("delete turns of their own session alone [http.delete-turns]", async () => {
    const service = await serveUsers({ agents: { a: teller() } });
    await checkOwners({
      shows: ["packages/http/src/routes/session-routes.ts", "packages/core/src/transport/sessions/served-sessions.ts"],
      owners: users,
      leave: async (user, input) => await run(service, user, { input, sessionId: "s" }),
      find: async (user) => {
        const { turns } = (await askAs(service, user, "GET /sessions/s/turns")).json as { turns: { input: string }[] };
        return turns.map(({ input }) => input);
      },
      remove: async (user) => await askAs(service, user, "DELETE /sessions/s/turns?from=1"),
    });
  });

  it("have a share each of the runs that are open [http.stored-by-key]", async () => {
    const { agent } = hanging();
    const service = await serveUsers({ agents: { a: agent } });
    const [first, ...others] = users.slice(1).concat(users.slice(0, 1)) as [User, ...User[]];
    const begin = async (user: User, key: number) => {
      const { status, body } = await stream(service, user, { headers: { "idempotency-key": `${key}` } });
      await body?.cancel();
      return status;
    };
    const statuses = await Promise.all(Array.from({ length: 100 }, async (_, key) => await begin(first, key)));

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await begin(first, 100)).toBe(429);
    for (const other of others) expect(await begin(other, 100)).toBe(200);
  });
});
