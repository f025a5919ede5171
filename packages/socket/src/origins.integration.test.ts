import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { chromium } from "playwright-core";
import type { Page } from "playwright-core";
import { Server } from "socket.io";
import type { ServerOptions } from "socket.io";
import { describe, expect, it, onTestFinished } from "vitest";
import { createAgentGateway } from "./create-agent-gateway.ts";

const browserUrl = process.env["TROUPE_TEST_CHROMIUM_URL"] ?? "not started by pnpm test:services";
/** Runs in a page: connects, asks the agent, and returns its answer, or the reason of the refusal. */
const ask = `(url, transport) => new Promise((resolve) => {
  const options = { transports: [transport], withCredentials: true, reconnection: false, forceNew: true };
  const socket = io(url + "/service", options);
  socket.on("connect", () => socket.emit("agent.run", { name: "a", input: "Hi" }));
  socket.on("connect_error", ({ message, data }) => resolve("refused: " + (data?.code ?? message)));
  for (const end of ["agent.done", "agent.error"])
    socket.on(end, ({ output, error }) => resolve(output?.text ?? error));
})`;

/** An agent with a gateway that knows its users by a cookie, and what the pages of its browsers have sent it. */
async function serveAgent(cors?: ServerOptions["cors"]) {
  const http = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>own</title>"));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const model = new ScriptedModel().respond(() => "Hello.");
  const io = new Server(http, { ...(cors && { cors }) });
  const cookies: (string | undefined)[] = [];
  io.engine.on("connection", ({ request }: { request: { headers: { cookie?: string } } }) => {
    cookies.push(request.headers.cookie);
  });
  const users: unknown[] = [];
  const gateway = createAgentGateway({
    io,
    agents: { a: new Agent({ name: "a", model }) },
    authMiddleware: ({ data, handshake }, next) => {
      const userId = /user=(\w+)/.exec(handshake.headers.cookie ?? "")?.[1];
      if (userId !== undefined) Object.assign(data as object, { principal: { userId } });
      users.push(userId);
      next();
    },
  });
  onTestFinished(async () => {
    http.closeAllConnections();
    await io.close();
    await gateway.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, model, cookies, users };
}

/** Serves an empty page, and returns its address under a name: `localhost` is another site than `127.0.0.1`. */
async function servePage(name: string): Promise<string> {
  const http = createServer((_, response) => response.setHeader("content-type", "text/html").end("<title>p</title>"));
  http.listen(0, name);
  await once(http, "listening");
  onTestFinished(() => {
    http.close();
    http.closeAllConnections();
  });
  return `http://${name}:${(http.address() as AddressInfo).port}`;
}

async function open(pageUrl: string, url: string, isSignedIn = false): Promise<Page> {
  const browser = await chromium.connectOverCDP(browserUrl);
  const context = await browser.newContext();
  onTestFinished(async () => {
    await context.close();
    await browser.close();
  });
  if (isSignedIn) await context.addCookies([{ name: "user", value: "ada", url }]);
  const page = await context.newPage();
  await page.goto(pageUrl);
  // Any page may load the script of another site.
  await page.addScriptTag({ url: `${url}/socket.io/socket.io.js` });
  return page;
}

async function askFrom(page: Page, url: string, transport: string): Promise<unknown> {
  return await page.evaluate(`(${ask})(${JSON.stringify(url)}, ${JSON.stringify(transport)})`);
}

describe.skipIf(browserUrl === "").each(["websocket", "polling"])("a page in Chromium over %s", (transport) => {
  it.each([
    ["of another site", "localhost", false],
    ["of another site, with a cookie of the service", "localhost", true],
    ["of another port", "127.0.0.1", false],
    ["of another port, with a cookie of the service", "127.0.0.1", true],
  ])("%s runs nothing [socket.origins]", { timeout: 60_000 }, async (_, name, isSignedIn) => {
    const { url, model, cookies, users } = await serveAgent();
    const page = await open(await servePage(name), url, isSignedIn);

    // A browser keeps the answers of polling from the page before the gateway can say why.
    expect(await askFrom(page, url, transport)).toMatch(
      transport === "websocket" ? /^refused: forbidden$/ : /^refused: xhr poll error$/,
    );
    expect(model.calls).toHaveLength(0);
    expect(users).toEqual([]);
    // Cookies know no ports: the page was refused although the browser had signed it in.
    expect(cookies.includes("user=ada")).toBe(isSignedIn && name === "127.0.0.1");
  });

  it.each([false, true])(
    "a page of the service itself is served; with a cookie: %s [socket.origins]",
    { timeout: 60_000 },
    async (isSignedIn) => {
      const { url, users } = await serveAgent();
      const page = await open(url, url, isSignedIn);

      expect(await askFrom(page, url, transport)).toBe("Hello.");
      expect(users).toEqual([isSignedIn ? "ada" : undefined]);
    },
  );

  it("a page of another site is served if cors allows it [socket.origins]", { timeout: 60_000 }, async () => {
    const pageUrl = await servePage("localhost");
    const { url } = await serveAgent({ origin: [pageUrl], credentials: true });

    expect(await askFrom(await open(pageUrl, url), url, transport)).toBe("Hello.");
  });
});
