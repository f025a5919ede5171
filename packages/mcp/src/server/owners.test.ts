import { checkOwners, principals } from "@troupe-internal/fault-tools";
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";
import { serveHttp } from "../../test/serve-http.ts";
import { joinSession, openSession } from "../../test/session-client.ts";
import { connectFirst, headersOf, ModernClient, userOfHeader } from "../../test/task-clients.ts";
import type { ServedHttp } from "../../test/serve-http.ts";
import type { McpExtend } from "./extension.ts";
import type { McpServerOptions } from "./mcp-server-options.ts";

/** Of two users and of two tenants: of each there are two who differ in nothing else. */
const users = principals.slice(1, 5);

type User = (typeof principals)[number];

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

/** Calls a tool, and returns the texts that it answers with. */
type CallTool = (name: string, args?: Record<string, unknown>) => Promise<string[]>;

const say = (...texts: string[]) => ({ content: texts.map((text) => ({ type: "text" as const, text })) });

const serveUsers = async (options: McpServerOptions = {}) => await serveHttp(options, [userOfHeader]);

/** Clients of both eras, made once for each user. */
const clients: Record<string, (url: string, user: User) => Promise<CallTool>> = {
  "2025-11-25": async (url, user) => {
    const client = await connectFirst(url, { headers: headersOf(user) });
    return async (name, args = {}) => textsOf(await client.callTool({ name, arguments: args }));
  },
  "2026-07-28": async (url, user) => {
    const client = new ModernClient(url, { headers: headersOf(user), capabilities: { extensions: {} } });
    return async (name, args = {}) => textsOf((await client.send("tools/call", { name, arguments: args })).result);
  },
};

function textsOf(result: object): string[] {
  const { content } = result as { content: { text: string }[] };
  return content.map(({ text }) => text);
}

/** Keeps notes by the user that each server is told. */
function keepNotes(): McpExtend {
  const notes = new Map<string, string[]>();
  return (server, { library, userId, tenantId }) => {
    const own = JSON.stringify([userId, tenantId]);
    const inputSchema = library.fromJsonSchema<{ text: string }>({ type: "object" });
    server.registerTool("note", { inputSchema }, ({ text }) => {
      notes.set(own, [...(notes.get(own) ?? []), text]);
      return say("Noted.");
    });
    server.registerTool("notes", {}, () => say(...(notes.get(own) ?? [])));
    server.registerTool("forget", {}, () => say(String(notes.delete(own))));
  };
}

/** Connects a client that is told of changes, and returns it once it hears. */
async function listen({ url, server }: ServedHttp, user: User, hear: (what: string) => void) {
  const client = await connectFirst(url, { headers: headersOf(user) });
  let isListening = false;
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    isListening = true;
    hear("tools");
  });
  const tell = () => {
    server.notify.toolsChanged();
    expect(isListening).toBe(true);
  };
  await vi.waitFor(tell, soon);
  return client;
}

/** An agent that tells all that was said to it in a session. */
function createTeller(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; ");
  });
  return new Agent({ name: "teller", model });
}

describe("users who differ in one field", () => {
  it("have a session each, which no other can name or end [mcp-server.sessions]", async () => {
    const served = await serveUsers({ extend: () => {} });
    const opened = new Map<User, { id: string; mark: string }>();
    const joined = (user: User) =>
      [...opened.values()].map(({ id, mark }) => ({ mark, ...joinSession(served, id, headersOf(user)) }));
    await checkOwners({
      shows: ["packages/mcp/src/server/sessions.ts", "packages/mcp/src/server/read-caller.ts"],
      owners: users,
      leave: async (user, mark) => opened.set(user, { id: (await openSession(served, headersOf(user))).id, mark }),
      find: async (user) => {
        const answers = joined(user).map(async ({ mark, ping }) => ((await ping()) === 200 ? [mark] : []));
        return (await Promise.all(answers)).flat();
      },
      remove: async (user) => {
        const ended = joined(user).map(
          async ({ id, send }) => await send(undefined, { "mcp-session-id": id }, "DELETE"),
        );
        const statuses = (await Promise.all(ended)).map(({ status }) => status);
        expect(statuses.filter((status) => status !== 404)).toEqual([200]);
      },
    });
  });

  it("lose sessions for a newcomer where they have most, and no other's count as theirs [mcp-server.sessions]", async () => {
    const served = await serveUsers({ extend: () => {}, maxSessions: 7 });
    const open = async (user: User) => await openSession(served, headersOf(user));
    const [ada, bob, adaOfAcme, bobOfAcme, adaOfApex, zoe] = principals;
    const kept = [];
    for (const user of [ada, bob, bobOfAcme, adaOfApex]) kept.push(await open(user));
    const [lost, ...rest] = [await open(adaOfAcme), await open(adaOfAcme), await open(adaOfAcme)];
    kept.push(...rest, await open(zoe));

    expect(await lost.ping()).toBe(404);
    expect(await Promise.all(kept.map(async ({ ping }) => await ping()))).toEqual(kept.map(() => 200));
  });

  it("cancel their own call alone, also where session and request have the same ids [mcp-server.cancel]", async () => {
    const running = new Map<string, User>();
    const model = new ScriptedModel().respond(({ messages, options: { signal } }) => {
      const said = messages.at(-1)?.content as string;
      signal?.addEventListener("abort", () => running.delete(said));
      return { hang: true };
    });
    const served = await serveUsers({ agents: { helper: new Agent({ name: "helper", model }) } });
    const send = async (user: User, message: object) =>
      await joinSession(served, "s", headersOf(user)).send(message, { "mcp-session-id": "s" });
    await checkOwners({
      shows: ["packages/mcp/src/server/make-server.ts"],
      owners: users,
      leave: async (user, mark) => {
        const count = running.set(mark, user).size;
        void send(user, { id: 7, method: "tools/call", params: { name: "ask_helper", arguments: { message: mark } } });
        await vi.waitFor(() => expect(model.calls).toHaveLength(count), soon);
      },
      find: async (user) => await Promise.resolve([...running].flatMap(([mark, of]) => (of === user ? [mark] : []))),
      remove: async (user) => {
        const { size } = running;
        await send(user, { method: "notifications/cancelled", params: { requestId: 7 } });
        await vi.waitFor(() => expect(running.size).toBe(size - 1), soon);
      },
    });
  });

  it.each(Object.keys(clients))("are told apart by extend, of revision %s [mcp-server.extend]", async (revision) => {
    const { url } = await serveUsers({ extend: keepNotes() });
    const made = new Map<User, CallTool>();
    for (const user of users) made.set(user, (await clients[revision]?.(url, user)) as CallTool);
    const call = async (user: User, name: string, args = {}) => (await made.get(user)?.(name, args)) ?? [];
    await checkOwners({
      shows: ["packages/mcp/src/server/make-server.ts", "packages/mcp/src/server/sessions.ts"],
      owners: users,
      leave: async (user, text) => await call(user, "note", { text }),
      find: async (user) => await call(user, "notes"),
      remove: async (user) => await call(user, "forget"),
    });
  });

  it.each(Object.keys(clients))(
    "have an agent's session each, of revision %s [mcp-server.principal]",
    async (revision) => {
      const agent = createTeller();
      const { url } = await serveUsers({ agents: { teller: agent } });
      const call = async (user: User, message: string) =>
        await (
          await clients[revision]?.(url, user)
        )?.("ask_teller", { message, sessionId: "s" });
      await checkOwners({
        shows: ["packages/mcp/src/server/call-tool.ts", "packages/mcp/src/server/read-caller.ts"],
        owners: users,
        leave: async (user, mark) => await call(user, mark),
        find: async (user) => {
          const [said = ""] = (await call(user, "What?")) ?? [];
          return said.split("; ").filter((each) => each !== "What?");
        },
        remove: async (owner) => await agent.sessions.deleteSession("s", { owner }),
      });
    },
  );

  it("get no state back that was sealed for another [mcp-server.state]", async () => {
    const { url } = await serveUsers({
      extend: (server, { library, sealState }) => {
        const inputSchema = library.fromJsonSchema<{ mark: string }>({ type: "object" });
        server.registerTool("sealed", { inputSchema }, async ({ mark }, ctx) => {
          const state = ctx.mcpReq.requestState<string>();
          return state === undefined ? library.inputRequired({ requestState: await sealState(mark, ctx) }) : say(state);
        });
      },
    });
    const states: string[] = [];
    const send = async (user: User, more: object) => {
      const client = new ModernClient(url, { headers: headersOf(user) });
      return await client.send("tools/call", { name: "sealed", arguments: {}, ...more });
    };
    await checkOwners({
      shows: ["packages/mcp/src/server/extension.ts"],
      owners: users,
      leave: async (user, mark) => {
        const { result } = await send(user, { arguments: { mark } });
        states.push(String(result["requestState"]));
      },
      find: async (user) => {
        const replies = states.map(async (requestState) => await send(user, { requestState }));
        return (await Promise.all(replies)).flatMap(({ error, result }) => {
          if (error === undefined) return textsOf(result);
          if (error.code === -32_602) return [];
          throw new Error(error.message);
        });
      },
    });
  });

  it("hear of the resources that they have subscribed to in their own session [mcp-server.notify]", async () => {
    const uris = users.map((_, index) => `note://${index}`);
    const served = await serveUsers({
      extend: (server) => {
        for (const uri of uris) server.registerResource(uri, uri, {}, () => ({ contents: [] }));
      },
    });
    const heard = new Map<User, string[]>(users.map((user) => [user, []]));
    const made = new Map<User, Awaited<ReturnType<typeof listen>>>();
    const marks = new Map<string, string>();
    for (const user of users) made.set(user, await listen(served, user, (what) => heard.get(user)?.push(what)));
    await checkOwners({
      shows: [],
      owners: users,
      leave: async (user, mark) => {
        const uri = uris[users.indexOf(user)] ?? "";
        marks.set(uri, mark);
        await made.get(user)?.subscribeResource({ uri });
      },
      find: async (user) => {
        for (const each of heard.values()) each.length = 0;
        for (const uri of uris) served.server.notify.resourceUpdated(uri);
        served.server.notify.toolsChanged();
        await vi.waitFor(() => expect(heard.get(user)).toContain("tools"), soon);
        return (heard.get(user) ?? []).flatMap((each) => marks.get(each) ?? []);
      },
      remove: async (user) => await made.get(user)?.unsubscribeResource({ uri: uris[users.indexOf(user)] ?? "" }),
    });
  });
});
