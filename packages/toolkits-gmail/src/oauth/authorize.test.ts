import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, get } from "node:http";
import type { IncomingMessage } from "node:http";
import { connect, Server } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { networkInterfaces } from "node:os";
import { Service } from "@troupe-internal/toolkit";
import { freePort } from "@troupe-internal/fault-tools";
import { FakeService } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { recorded } from "../../test/gmail.ts";
import { authorize } from "./authorize.ts";

/** False on machines whose loopback has no IPv6. */
const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

/** Ends the connection of a request with this state after it was read, and before it is answered. */
function disconnectBefore(state: string): Promise<void> {
  const { promise: disconnected, resolve } = Promise.withResolvers<void>();
  const channel = "http.server.request.start";
  const disconnect = (started: unknown): void => {
    const { request, socket } = started as { request: IncomingMessage; socket: Socket };
    if (request.url?.includes(state) === true) socket.once("close", resolve).destroy();
  };
  subscribe(channel, disconnect);
  onTestFinished(() => void unsubscribe(channel, disconnect));
  return disconnected;
}

async function start(redirectUris?: readonly string[]) {
  const fake = (await FakeService.start()).answer(() => recorded("token-first"));
  const abort = new AbortController();
  onTestFinished(async () => {
    abort.abort();
    await fake.close();
  });
  const urls = { authUrl: `${fake.url}/auth?hd=example.com`, tokenUrl: `${fake.url}/token` };
  const { promise: shown, resolve, reject } = Promise.withResolvers<URL>();
  shown.catch(() => {});
  const tokens = authorize({
    client: { clientId: "id-1", ...urls, ...(redirectUris && { redirectUris: [...redirectUris] }) },
    scopes: ["one", "two"],
    server: new Service({ name: "The authorization server", timeoutMs: 2000, network: {} }),
    showUrl: (url) => resolve(new URL(url)),
    signal: abort.signal,
  });
  tokens.catch(reject);
  return { fake, tokens, shown, abort };
}

function answerOf(url: URL, fields: Record<string, string>): string {
  const query = new URLSearchParams({ state: url.searchParams.get("state") ?? "", ...fields }).toString();
  return `${url.searchParams.get("redirect_uri")}?${query}`;
}

describe("authorize", () => {
  it("answers the browser with plain text that is not kept, and then frees the port", async () => {
    const { tokens, shown } = await start();
    const url = await shown;
    const page = await fetch(answerOf(url, { code: "4/code" }));

    expect(await tokens).toMatchObject({ accessToken: "ya29.first-token", refreshToken: "1//refresh-first" });
    expect([url.searchParams.get("hd"), url.searchParams.get("scope")]).toEqual(["example.com", "one two"]);
    expect(page.headers.get("cache-control")).toBe("no-store");
    expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    await expect(fetch(answerOf(url, {}))).rejects.toThrow("fetch failed");
  });

  it("rejects when the port of the registered address is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { tokens } = await start([`http://127.0.0.1:${port}/`]);

    await expect(tokens).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("port for the redirect cannot be opened"),
      cause: expect.objectContaining({ code: "EADDRINUSE" }),
    });
  });

  it.skipIf(!hasIPv6)("listens on the address of a client that is registered with IPv6", async () => {
    const { tokens, shown } = await start([`http://[::1]:${await freePort("::1")}/back`]);

    await fetch(answerOf(await shown, { code: "4/code" }));

    expect(await tokens).toMatchObject({ accessToken: "ya29.first-token" });
  });

  it.each([
    ["code", "4/code", { status: "fulfilled", value: expect.objectContaining({ accessToken: "ya29.first-token" }) }],
    ["error", "access_denied", { status: "rejected", reason: expect.objectContaining({ code: "forbidden" }) }],
  ])("takes the answer %s=%s of a browser that disconnects before the page is sent", async (name, value, settled) => {
    const { tokens, shown, abort } = await start();
    const url = await shown;
    const disconnected = disconnectBefore(url.searchParams.get("state") ?? "");

    await expect(fetch(answerOf(url, { [name]: value }))).rejects.toThrow("fetch failed");
    await disconnected;
    await turn();
    // Ends the wait for an answer, if the one above was not taken.
    abort.abort();
    expect(await Promise.allSettled([tokens])).toEqual([settled]);
  });

  it.each(["", "?kept=1", "/back", "/a%2fb"])("sends a registered address that ends in %j unchanged", async (end) => {
    const port = await freePort();
    const uri = `http://127.0.0.1:${port}${end}`;
    const { fake, tokens, shown } = await start(["no address", "https://localhost/a", "http://b.test/", uri]);
    const url = await shown;
    expect(url.searchParams.get("redirect_uri")).toBe(uri);
    const answer = new URL(uri);
    answer.search = new URLSearchParams({ state: url.searchParams.get("state") ?? "", code: "4/code" }).toString();
    const page = await fetch(answer);

    expect([page.status, await page.text()]).toEqual([200, "Permission was given. You can close this page.\n"]);
    await tokens;
    expect(new URLSearchParams(fake.requests[0]?.body).get("redirect_uri")).toBe(uri);
  });

  it.each([
    [undefined, 0, "127.0.0.1"],
    ["http://localhost/back", 80, "127.0.0.1"],
    ["http://[::1]:8085/", 8085, "::1"],
  ])("listens for the redirect to %s on port %d of %s alone", async (uri, port, host) => {
    const { promise: listened, resolve } = Promise.withResolvers<unknown[]>();
    const real = Reflect.get(Server.prototype, "listen") as (...args: unknown[]) => Server;
    const listen = vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server, ...args: unknown[]) {
      if (args.length < 3) return Reflect.apply(real, this, args);
      resolve(args);
      process.nextTick(() => this.emit("error", new Error("denied")));
      return this;
    });
    onTestFinished(() => listen.mockRestore());
    const { tokens } = await start(uri === undefined ? undefined : [uri]);

    expect(await listened).toEqual([port, host, expect.any(Function)]);
    await expect(tokens).rejects.toMatchObject({ code: "unavailable" });
  });

  it("says in the browser and in its error that no permission was given, also for an empty code", async () => {
    const { fake, tokens, shown } = await start();
    const page = await fetch(answerOf(await shown, { code: "" }));

    expect([page.status, await page.text()]).toEqual([200, "No permission was given. You can close this page.\n"]);
    await expect(tokens).rejects.toMatchObject({
      code: "forbidden",
      message: "No permission was given in the browser. Run the command again to try again.",
    });
    expect(fake.requests).toEqual([]);
  });

  it("refuses a state of as many characters and more bytes, and goes on waiting", async () => {
    const { tokens, shown } = await start();
    const url = await shown;
    const page = await fetch(answerOf(url, { code: "evil", state: "é".repeat(43) }));
    expect([page.status, await page.text()]).toEqual([
      400,
      "This answer belongs to another request. Open the address of the command again.\n",
    ]);

    await fetch(answerOf(url, { code: "4/code" }));
    expect(await tokens).toMatchObject({ accessToken: "ya29.first-token" });
  });

  it("answers a path that is no address with 404", async () => {
    const { shown } = await start();
    const { port } = new URL((await shown).searchParams.get("redirect_uri") ?? "");
    const answer = await new Promise<IncomingMessage>((resolve) =>
      get({ port, host: "127.0.0.1", path: "//" }, resolve),
    );

    expect(answer.statusCode).toBe(404);
    answer.destroy();
  });

  it("asks each time with another state and another challenge", async () => {
    const urls = await Promise.all([(await start()).shown, (await start()).shown]);

    for (const name of ["state", "code_challenge"]) {
      expect(new Set(urls.map((url) => url.searchParams.get(name))).size).toBe(2);
    }
  });

  it("ends the connections of browsers that have asked nothing when it is aborted", async () => {
    const { tokens, shown, abort } = await start();
    const { port } = new URL((await shown).searchParams.get("redirect_uri") ?? "");
    const socket = connect(Number(port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void socket.destroy());
    await new Promise((resolve) => socket.write("GET / HTTP/1.1\r\n", resolve));
    abort.abort();

    await expect(tokens).rejects.toMatchObject({ code: "cancelled" });
    await vi.waitFor(() => expect(socket.closed).toBe(true));
  });
});
