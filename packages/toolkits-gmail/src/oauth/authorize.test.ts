import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { Service } from "@troupe-internal/toolkit";
import { FakeService } from "@troupe-internal/toolkit-fakes";
import { describe, expect, it, onTestFinished } from "vitest";
import { recorded } from "../../test/gmail.ts";
import { authorize } from "./authorize.ts";

/** False on machines whose loopback has no IPv6. */
const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

/** Listens on a port of its own, and returns it with a function that frees it. */
async function takePort(host: string) {
  const taken = createServer().listen(0, host);
  await new Promise((resolve) => taken.once("listening", resolve));
  const free = async () => await new Promise((resolve) => taken.close(resolve));
  return { port: (taken.address() as AddressInfo).port, free };
}

async function start(redirectUris?: readonly string[]) {
  const fake = (await FakeService.start()).answer(() => recorded("token-first"));
  const abort = new AbortController();
  onTestFinished(async () => {
    abort.abort();
    await fake.close();
  });
  const urls = { authUrl: `${fake.url}/auth?hd=example.com`, tokenUrl: `${fake.url}/token` };
  const { promise: shown, resolve } = Promise.withResolvers<URL>();
  const tokens = authorize({
    client: { clientId: "id-1", ...urls, ...(redirectUris && { redirectUris: [...redirectUris] }) },
    scopes: ["one", "two"],
    server: new Service({ name: "The authorization server", timeoutMs: 2000, network: {} }),
    showUrl: (url) => resolve(new URL(url)),
    signal: abort.signal,
  });
  tokens.catch(() => {});
  return { tokens, shown };
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
    const { port, free } = await takePort("127.0.0.1");
    onTestFinished(async () => void (await free()));
    const { tokens } = await start([`http://127.0.0.1:${port}/`]);

    await expect(tokens).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("port for the redirect cannot be opened"),
      cause: expect.objectContaining({ code: "EADDRINUSE" }),
    });
  });

  it.skipIf(!hasIPv6)("listens on the address of a client that is registered with IPv6", async () => {
    const { port, free } = await takePort("::1");
    await free();
    const { tokens, shown } = await start([`http://[::1]:${port}/back`]);

    await fetch(answerOf(await shown, { code: "4/code" }));

    expect(await tokens).toMatchObject({ accessToken: "ya29.first-token" });
  });
});
