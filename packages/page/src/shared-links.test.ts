import { Agent, defineTool, InMemoryStorage, TroupeError } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import type { ServiceOptions } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { servePage, usersByHeader } from "../test/serve-page.ts";
import { createPage } from "./create-page.ts";
import { page } from "./page.ts";
import type { NewSharedLink, SharedChat, SharedLink } from "./shares/shared-chat.ts";

const secret = "sk-canary-0123456789abcdefghijklmnop";

/** An agent that calls a tool once, with a secret in its arguments, and has answered ada in the session `s`. */
async function clerkOf() {
  const look = defineTool({
    name: "look_up",
    description: "Looks up.",
    parameters: { type: "object" },
    execute: () => ({
      content: `The record of Ann, password: ${secret}`,
      artifacts: [{ type: "list", data: [{ city: "Oslo" }] }],
    }),
  });
  const model = new ScriptedModel().respond(({ messages }) => {
    if (messages.at(-1)?.role === "tool") return "Here it is.";
    return { toolCalls: [{ name: "look_up", arguments: { person: "Ann", api_key: secret } }] };
  });
  const instructions = `Never say ${secret}.`;
  const clerk = new Agent({ name: "clerk", instructions, model, tools: [look], storage: new InMemoryStorage() });
  const input = [
    { type: "text" as const, text: "Who is it?" },
    {
      type: "file" as const,
      data: Buffer.from("private").toString("base64"),
      mimeType: "text/plain",
      filename: "a.txt",
    },
  ];
  await clerk.run(input, { sessionId: "s", userId: "ada" });
  return clerk;
}

type Sent = [path: string, method?: string, body?: object | undefined, headers?: Record<string, string>];

async function serveShares(shares: object | boolean = true) {
  const clerk = await clerkOf();
  const service = createService({ agents: { clerk } });
  onTestFinished(async () => await service.close({ graceMs: 0 }));
  const given = typeof shares === "object" ? { service, ...shares } : { service };
  const origin = await servePage({ shares: shares === false ? false : given }, usersByHeader);
  const send = async (...[path, method = "GET", body, headers = {}]: Sent) => {
    const reply = await fetch(origin + path, {
      method,
      headers: { "x-user": "ada", "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text };
  };
  const share = async (fields: object = {}) => {
    const { status, text } = await send("/shares", "POST", { sessionId: "s", ...fields });
    expect(status, text).toBe(201);
    return JSON.parse(text) as NewSharedLink;
  };
  const read = async (of: string) => {
    const reply = await fetch(`${origin}/s/${of}/turns`);
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text, chat: JSON.parse(text) as SharedChat };
  };
  return { origin, clerk, send, share, read };
}

describe("a shared chat", () => {
  it("shows its words to anyone with the link, without tools, files, ids of runs and keys [page.share]", async () => {
    const { share, read } = await serveShares();
    const { secret: link } = await share();
    const { status, headers, text, chat } = await read(link);

    expect(status).toBe(200);
    expect(headers.get("x-robots-tag")).toContain("noindex");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(chat).toMatchObject({
      hasTools: false,
      turns: [
        {
          seq: 1,
          runnable: "clerk",
          kind: "agent",
          status: "completed",
          input: [
            { type: "text", text: "Who is it?" },
            { type: "file", mimeType: "text/plain", filename: "a.txt" },
          ],
        },
      ],
    });
    expect(text).toContain("Here it is.");
    expect(text).toContain('"look_up"');
    expect(text).toContain('{"city":"Oslo"}');
    expect(text).not.toMatch(/Ann|sk-canary|private|runId|ada|sessionId|Never say/);
    expect(text).not.toContain(Buffer.from("private").toString("base64"));
  });

  it("shows the arguments and results of tools if its owner chose so, with secrets hidden [page.share]", async () => {
    const { share, read } = await serveShares();
    const { secret: link, share: info } = await share({ tools: true });
    const { text } = await read(link);

    expect(info.hasTools).toBe(true);
    expect(text).toContain('"person":"Ann"');
    expect(text).toContain("The record of Ann");
    expect(text).not.toContain("sk-canary");
  });

  it("has a document that search engines do not list, and that has no secret in it [page.share]", async () => {
    const { origin, share } = await serveShares();
    const { secret: link } = await share();
    for (const path of [`/s/${link}`, `/s/${link}/`]) {
      const reply = await fetch(origin + path);
      const html = await reply.text();

      expect([reply.status, reply.headers.get("x-robots-tag")]).toEqual([200, "noindex, nofollow, noarchive"]);
      expect(reply.headers.get("referrer-policy")).toBe("no-referrer");
      expect(reply.headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(html).toContain('<meta name="robots" content="noindex, nofollow">');
      expect(html).not.toContain(link);
      const [, script = ""] = /src="([^"]+)"/.exec(html) ?? [];
      expect((await fetch(new URL(script, origin + path))).status).toBe(200);
    }
  });

  it("is listed for its owner alone, and gone once it is revoked [page.share]", async () => {
    const { send, share, read } = await serveShares();
    const { secret: link, share: info } = await share();
    const listOf = async (user: string) => {
      return (
        JSON.parse((await send("/shares", "GET", undefined, { "x-user": user })).text) as { shares: SharedLink[] }
      ).shares;
    };

    expect(await listOf("ada")).toEqual([info]);
    expect(JSON.stringify(await listOf("ada"))).not.toContain(link);
    expect(await listOf("bob")).toEqual([]);
    expect((await send(`/shares/${info.shareId}`, "DELETE", undefined, { "x-user": "bob" })).status).toBe(404);
    expect((await read(link)).status).toBe(200);
    expect((await send(`/shares/${info.shareId}`, "DELETE")).status).toBe(204);
    expect((await read(link)).status).toBe(404);
    expect(await listOf("ada")).toEqual([]);
  });

  it("ends after a week unless its owner gives a time within the bounds of the host [page.share]", async () => {
    const { share, send } = await serveShares({ maxLifetimeMs: 14 * 86_400_000 });
    const lasting = async (fields: object): Promise<number> => {
      const { share: info } = await share(fields);
      return Math.round((info.expiresAt - info.createdAt) / 60_000);
    };
    expect(await lasting({})).toBe(7 * 24 * 60);
    expect(await lasting({ lifetimeMs: 60_000 })).toBe(1);
    for (const lifetimeMs of [59_999, 14 * 86_400_000 + 1, 1.5, "1", null, -1]) {
      const { status, text } = await send("/shares", "POST", { sessionId: "s", lifetimeMs });
      expect([status, text]).toEqual([400, expect.stringContaining("lifetimeMs must be an integer from 60000 to")]);
    }
  });

  it.each<[string, Sent, number]>([
    ["another user", ["/shares", "POST", { sessionId: "s" }, { "x-user": "bob" }], 404],
    ["an unknown session", ["/shares", "POST", { sessionId: "none" }], 404],
    ["no session", ["/shares", "POST", {}], 400],
    ["an unknown field", ["/shares", "POST", { sessionId: "s", always: true }], 400],
    ["tools that are no boolean", ["/shares", "POST", { sessionId: "s", tools: "yes" }], 400],
    ["a page of another site", ["/shares", "POST", { sessionId: "s" }, { "sec-fetch-site": "cross-site" }], 403],
    ["an unknown query", ["/shares?user=bob", "GET"], 400],
    ["a repeated query", ["/shares?sessionId=s&sessionId=t", "GET"], 400],
    ["an unknown share", ["/shares/none", "DELETE"], 404],
    ["another method", ["/shares", "PUT", {}], 405],
    ["an unknown link", [`/s/${"A".repeat(43)}/turns`, "GET"], 404],
    ["a cursor that is none", [`/s/${"A".repeat(43)}/turns?after=x`, "GET"], 400],
  ])("is refused to %s", async (_, request, status) => {
    const { send } = await serveShares();
    const reply = await send(...request);

    // A method that the page does not serve goes on to the host, which has no such path.
    expect(status === 405 ? [404, 405] : [status], reply.text).toContain(reply.status);
  });

  it("is not there unless the host allows it", async () => {
    const { send, origin } = await serveShares(false);

    expect((await send("/shares")).status).toBe(404);
    expect((await send("/shares", "POST", { sessionId: "s" })).status).toBe(404);
    expect((await fetch(`${origin}/s/${"A".repeat(43)}`)).status).toBe(404);
    expect(await (await fetch(origin)).text()).not.toContain("shareMs");
  });

  it("is read without signing in to a service that others must sign in to", async () => {
    const clerk = await clerkOf();
    const authenticate: ServiceOptions["authenticate"] = ({ headers }) => {
      const userId = headers.get("x-user");
      if (userId === null) throw new TroupeError("unauthorized", "Sign in first.");
      return { userId };
    };
    const service = createService({ agents: { clerk }, authenticate });
    const { url } = await serve(service, [page({ path: "/chat", shares: true })], { port: 0 });
    onTestFinished(async () => await service.close({ graceMs: 0 }));
    const headers = { "x-user": "ada", "content-type": "application/json" };
    const body = JSON.stringify({ sessionId: "s" });
    const made = await fetch(`${url}/chat/shares`, { method: "POST", headers, body });
    const { secret: link } = (await made.json()) as NewSharedLink;

    expect((await fetch(`${url}/chat/shares`)).status).toBe(401);
    expect((await fetch(`${url}/chat/s/${link}`)).status).toBe(200);
    expect((await fetch(`${url}/chat/s/${link}/turns`)).status).toBe(200);
  });

  it("needs a service with sessions", () => {
    expect(() => createPage({ shares: true })).toThrow("shares: { service: router.service }");
    expect(() => createPage({ shares: { service: {} as never } })).toThrow("shares.service must be a service");
    expect(() => createPage({ shares: { maxLifetimeMs: 0 } })).toThrow("shares.maxLifetimeMs must be");
  });
});
