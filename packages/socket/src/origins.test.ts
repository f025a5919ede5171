import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { ServerOptions } from "socket.io";
import { Manager } from "socket.io-client";
import { describe, expect, it, onTestFinished } from "vitest";
import type { GatewayOptions } from "../src/gateway-options.ts";
import { serveUsers, TestClient, transports } from "../test/test-client.ts";

const foreign = "https://evil.example";
const refusal = { message: expect.stringContaining("another site") as string, data: { code: "forbidden" } };
const question = { name: "a", input: "Hi" };

/** Serves an agent, and connects clients whose handshake has such headers. */
async function serve(options: Omit<GatewayOptions, "io"> = {}, server: Partial<ServerOptions> = {}) {
  const model = new ScriptedModel().respond(() => "Hello.");
  const agents = { a: new Agent({ name: "a", model }) };
  const served = await serveUsers({ agents, ...options }, server);
  const from = async (headers: Record<string, string>, transport: "websocket" | "polling" = "websocket") =>
    await served.join({ transports: [transport], extraHeaders: headers });
  const { io, url, lines } = served;
  return { io, url, lines, from, model };
}

describe.each(transports)("a gateway over %s", (transport) => {
  it("refuses pages of other sites, says why, and runs nothing for them [socket.origins]", async () => {
    const { from, model } = await serve();

    for (const origin of [foreign, "null", "https://127.0.0.1.evil.example", ""]) {
      await expect(from({ origin }, transport)).rejects.toMatchObject(refusal);
    }
    expect(model.calls).toHaveLength(0);
  });

  it("serves programs, own pages and pages of allowedOrigins [socket.origins]", async () => {
    const { from, url } = await serve({ allowedOrigins: ["https://app.example"] });

    for (const headers of [{}, { origin: url }, { origin: "https://app.example" }] as Record<string, string>[]) {
      const client = await from(headers, transport);
      expect(await client.run(question)).toMatchObject({ name: "agent.done" });
    }
    await expect(from({ origin: "https://app.example.evil.example" }, transport)).rejects.toMatchObject(refusal);
  });

  it("refuses a host that allowedHosts does not list, whatever cors says [socket.origins]", async () => {
    const cors = { origin: true };
    const named = await serve({ allowedHosts: ["127.0.0.1"] }, { cors });
    const other = await serve({ allowedHosts: ["own.example"] }, { cors });

    expect(await (await named.from({ origin: foreign }, transport)).run(question)).toMatchObject({
      name: "agent.done",
    });
    for (const headers of [{}, { origin: "http://own.example" }] as Record<string, string>[]) {
      await expect(other.from(headers, transport)).rejects.toMatchObject({
        message: expect.stringContaining("allowedHosts") as string,
        data: { code: "forbidden" },
      });
    }
  });
});

describe("a gateway", () => {
  it("goes by Sec-Fetch-Site where a browser sends it [socket.origins]", async () => {
    const { from, url } = await serve();

    await expect(from({ "sec-fetch-site": "cross-site" })).rejects.toMatchObject(refusal);
    await expect(from({ origin: url, "sec-fetch-site": "same-site" })).rejects.toMatchObject(refusal);
    await from({ origin: foreign, "sec-fetch-site": "same-origin" });
  });

  it("refuses a page that joins the gateway later, on the connection of another namespace [socket.origins]", async () => {
    const { io, url, model } = await serve();
    io.of("/news").on("connection", () => undefined);
    const manager = new Manager(url, {
      transports: ["websocket"],
      reconnection: false,
      extraHeaders: { origin: foreign },
    });
    const news = new TestClient(manager.socket("/news"));
    onTestFinished(() => news.close());
    await news.connected();

    const socket = manager.socket("/service");
    const error = await new Promise((resolve) => void socket.once("connect_error", resolve));

    expect(error).toMatchObject(refusal);
    expect(news.socket.connected).toBe(true);
    expect(model.calls).toHaveLength(0);
  });

  it("asks authMiddleware about no page of another site [socket.origins]", async () => {
    let asked = 0;
    const { from } = await serve({
      authMiddleware: (_, next) => {
        asked += 1;
        next();
      },
    });

    await expect(from({ origin: foreign })).rejects.toMatchObject(refusal);
    expect(asked).toBe(0);
  });

  it("refuses a page that reads by script elements, for which browsers tell no origin [socket.origins]", async () => {
    const { url } = await serve();
    const read = async (query: string, headers = {}) =>
      await (await fetch(`${url}/socket.io/?EIO=4&transport=polling&j=0${query}`, { headers })).text();
    const open = async (headers = {}) => {
      const { sid } = JSON.parse(
        /\{.*\}/.exec(JSON.parse(/"(?:.*)"/.exec(await read("", headers))?.[0] ?? "") as string)?.[0] ?? "",
      ) as { sid: string };
      const body = new URLSearchParams({ d: "40/service," });
      await (await fetch(`${url}/socket.io/?EIO=4&transport=polling&j=0&sid=${sid}`, { method: "POST", body })).text();
      return await read(`&sid=${sid}`);
    };

    expect(await open()).toContain("forbidden");
    expect(await open({ "sec-fetch-site": "same-origin" })).not.toContain("forbidden");
  });
});

describe("the option cors of the Socket.IO server", () => {
  const page = "https://app.example";
  const sticky = /^https:\/\/(?:app|web)\.example$/g;
  const allowing: [string, NonNullable<ServerOptions["cors"]>][] = [
    ["true", { origin: true }],
    ['"*"', { origin: "*" }],
    ["no origin, which is all", { methods: ["GET"] }],
    ["the origin", { origin: page }],
    ["a list with it", { origin: ["https://web.example", /\.test$/, page] }],
    ["an expression with a place", { origin: sticky }],
    ["a function", { origin: (origin, choose) => choose(null, origin === page) }],
    ["a function that chooses a list", { origin: (_, choose) => choose(null, [page]) }],
    ["a function of the request", (_, choose) => choose(null, { origin: page })],
  ];
  const refusing: [string, NonNullable<ServerOptions["cors"]>][] = [
    ["false", { origin: false }],
    ["another origin", { origin: "https://web.example" }],
    ["a list without it", { origin: ["https://web.example", /\.test$/] }],
    ["an empty list", { origin: [] }],
    ["a function that says no", { origin: (_, choose) => choose(null, false) }],
  ];

  it.each(allowing)("lets a page of another site in with %s [socket.origins]", async (_, cors) => {
    const { from } = await serve({}, { cors });

    for (let time = 0; time < 2; time++) {
      const client = await from({ origin: page });
      expect(await client.run(question)).toMatchObject({ name: "agent.done" });
    }
  });

  it.each(refusing)("keeps a page of another site out with %s [socket.origins]", async (_, cors) => {
    const { from } = await serve({}, { cors });

    await expect(from({ origin: page })).rejects.toMatchObject(refusal);
  });

  it("keeps a page out for which its function has an error, at the server or here [socket.origins]", async () => {
    const origin = (_: unknown, choose: (error: Error) => void): void => choose(new Error("Not allowed by CORS"));
    const { io, from } = await serve();
    Object.assign((io.engine as { opts: object }).opts, { cors: { origin } });
    const early = await serve({}, { cors: { origin } });

    await expect(from({ origin: page })).rejects.toMatchObject(refusal);
    await expect(early.from({ origin: page })).rejects.toThrow(/error/);
  });

  it("the option cors of the Socket.IO server that throws refuses the page without the reason, which the log has [socket.origins]", async () => {
    const origin = () => {
      throw new Error("secret of the database");
    };
    const { io, from, lines } = await serve();
    // Where the server itself asks it for each request, such a function ends the process.
    Object.assign((io.engine as { opts: object }).opts, { cors: { origin } });

    await expect(from({ origin: page })).rejects.toMatchObject({ data: { code: "internal" } });
    expect(lines.join("\n")).toContain("cors");
  });
});
