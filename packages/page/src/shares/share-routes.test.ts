import { TroupeError } from "@troupe/core";
import type { StoredTurn } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { servePage } from "../../test/serve-page.ts";
import type { ShareOptions } from "./share-routes.ts";

const principal = { userId: "ada", tenantId: "t1" };
const info = { shareId: "sh1", sessionId: "s", createdAt: 1, expiresAt: 2, lastTurn: 3, hasTools: true };

type Shared = { title?: string; next?: number; turns?: readonly StoredTurn[] };

type Sent = { method?: string; body?: object | undefined; headers?: Record<string, string> };

/** Serves the routes of shares in front of sessions that record their calls. `failing` rejects every call. */
async function serveRoutes(options: ShareOptions & { shared?: Shared; failing?: Error } = {}) {
  const { shared: { turns = [], next, title } = {}, failing, ...rest } = options;
  const calls: unknown[][] = [];
  const answering =
    (name: string, value?: unknown) =>
    async (...args: unknown[]) => {
      calls.push([name, ...args]);
      if (failing !== undefined) throw failing;
      return await Promise.resolve(value);
    };
  const readShared = { share: { ...info, ...(title !== undefined && { title }) }, turns, next };
  const sessions = {
    share: answering("share", { share: info, secret: "x" }),
    listShares: answering("listShares", [info]),
    revokeShare: answering("revokeShare"),
    readShared: answering("readShared", readShared),
  };
  const service = { sessions, teams: new Map([["crew", {}]]) } as unknown as NonNullable<ShareOptions["service"]>;
  const origin = await servePage({ shares: { ...rest, service } }, (app) => {
    app.use((request, _, proceed) => {
      (request as { principal?: unknown }).principal = principal;
      proceed();
    });
  });
  const send = async (path: string, { method = "GET", body, headers = {} }: Sent = {}) => {
    const sent = { ...headers, "content-type": "application/json" };
    const given = body === undefined ? {} : { body: JSON.stringify(body) };
    const reply = await fetch(origin + path, { method, headers: sent, ...given });
    const text = await reply.text();
    return { status: reply.status, json: (text === "" ? undefined : JSON.parse(text)) as Record<string, unknown> };
  };
  return { calls, send };
}

/** Each route: a request, and the call of the sessions that it makes. */
const routes = [
  { path: "/shares", method: "GET", call: ["listShares", principal, undefined] },
  { path: "/shares?sessionId=s", method: "GET", call: ["listShares", principal, "s"] },
  { path: "/shares/sh1", method: "DELETE", call: ["revokeShare", "sh1", principal, undefined] },
  { path: "/shares/sh1?sessionId=s", method: "DELETE", call: ["revokeShare", "sh1", principal, "s"] },
  {
    path: "/shares",
    method: "POST",
    body: { sessionId: "s" },
    call: ["share", "s", principal, { expiresAt: expect.any(Number) as number, hasTools: false }],
  },
  {
    path: "/shares",
    method: "POST",
    body: { sessionId: "s", tools: true },
    call: ["share", "s", principal, { expiresAt: expect.any(Number) as number, hasTools: true }],
  },
];
const turnsCall = (after: number) => ["readShared", "x", expect.objectContaining({ after, limit: 50 })];
const publicRoutes = [
  { path: "/s/x/turns", method: "GET", call: turnsCall(0) },
  { path: "/s/x/turns?after=12", method: "GET", call: turnsCall(12) },
];
const all: readonly { path: string; method: string; body?: object; call: readonly unknown[] }[] = [
  ...routes,
  ...publicRoutes,
];

describe("a route of shares", () => {
  it.each(all)("asks the sessions for the whole principal: $method $path", async ({ path, method, body, call }) => {
    const { calls, send } = await serveRoutes();
    const { status } = await send(path, { method, body });

    expect(status).toBeLessThan(300);
    expect(calls).toEqual([call]);
  });

  it.each(all)("answers a failure of the storage with its code: $method $path", async ({ path, method, body }) => {
    const { send } = await serveRoutes({ failing: new TroupeError("storage_unavailable", "Down.") });
    const { status, json } = await send(path, { method, body });

    expect([status, json]).toMatchObject([503, { error: { code: "storage_unavailable" } }]);
  });

  it.each(all)("refuses unknown and repeated query parameters: $method $path", async ({ path, method, body }) => {
    const { calls, send } = await serveRoutes();
    const join = path.includes("?") ? "&" : "?";
    const answers = [];
    for (const query of ["other=1", "sessionId=s&sessionId=s", "after=1&after=1", "sessionId=&sessionId="])
      answers.push((await send(`${path}${join}${query}`, { method, body })).status);

    expect(answers).toEqual([400, 400, 400, 400]);
    expect(calls).toEqual([]);
  });

  it.each(routes)("does nothing for another site: $method $path", async ({ path, method, body }) => {
    const { calls, send } = await serveRoutes();
    const { status } = await send(path, { method, body, headers: { "sec-fetch-site": "cross-site" } });

    expect([status, calls]).toEqual([403, []]);
  });

  it.each(["/shares?sessionId=", `/shares?sessionId=${"s".repeat(300)}`])("refuses the session of %s", async (path) => {
    const { calls, send } = await serveRoutes();
    const shown = await send(path);
    const revoked = await send(path.replace("shares", "shares/sh1"), { method: "DELETE" });

    expect([shown.status, revoked.status, calls]).toEqual([400, 400, []]);
  });
});

describe("the lifetime of a link", () => {
  const week = 7 * 86_400_000;

  it.each([
    [undefined, undefined, week],
    [undefined, 30 * 86_400_000, 30 * 86_400_000],
    [undefined, 30 * 86_400_000 + 1, 400],
    [86_400_000, undefined, 86_400_000],
    [86_400_000, 86_400_000, 86_400_000],
    [1000, undefined, 1000],
    [1000, 1000, 1000],
    [1000, 999, 400],
    [1000, 1001, 400],
  ])("within at most %s ms is, for %s, %s", async (maxLifetimeMs, lifetimeMs, expected) => {
    const { calls, send } = await serveRoutes(maxLifetimeMs === undefined ? {} : { maxLifetimeMs });
    const before = Date.now();
    const { status } = await send("/shares", { method: "POST", body: { sessionId: "s", lifetimeMs } });
    const [[, , , given] = []] = calls as [string, string, object, { expiresAt: number }][];
    const lasted = (given?.expiresAt ?? 0) - before;

    expect(status === 201 ? Math.floor(lasted / 1000) * 1000 : status).toBe(expected);
  });
});

describe("a page of a shared chat", () => {
  const turnOf = (seq: number, runnable: string) =>
    ({ seq, runnable, status: "completed", createdAt: seq, input: "Hi", messages: [] }) as unknown as StoredTurn;

  it("has the title, the cursor, and the kind of each turn's runnable", async () => {
    const turns = [turnOf(1, "clerk"), turnOf(2, "crew"), turnOf(3, "gone")];
    const { send } = await serveRoutes({ shared: { title: "Talk", next: 3, turns } });
    const { json } = await send("/s/x/turns");

    expect(json).toMatchObject({ title: "Talk", next: 3, createdAt: 1, expiresAt: 2, hasTools: true });
    expect(json["turns"]).toMatchObject([{ kind: "agent" }, { kind: "team" }, { kind: "agent" }]);
  });

  it("has neither a title nor a cursor that the session does not have", async () => {
    const { send } = await serveRoutes();
    expect(Object.keys((await send("/s/x/turns")).json)).toEqual(["createdAt", "expiresAt", "hasTools", "turns"]);
  });

  it("takes turns until their characters exceed the limit of one answer", async () => {
    const { calls, send } = await serveRoutes();
    await send("/s/x/turns");
    const [[, , { take }]] = calls as [[string, string, { take: (turn: StoredTurn) => boolean }]];
    const large = { ...turnOf(1, "clerk"), input: "x".repeat(1_999_000) };

    expect([take(large), take(large), take(large)]).toEqual([true, true, false]);
  });

  it.each(["x", "-1", "1.5", "", "1e3", "1234567890123"])("asks for no turn after %j", async (after) => {
    const { calls, send } = await serveRoutes();
    await send(`/s/x/turns?after=${after}`);
    const [[, , page]] = calls as [[string, string, { after: number }]];

    expect(page.after).toBeNaN();
  });
});
