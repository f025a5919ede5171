import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { LookupFunction } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { privateRanges, randomAddress, type Range } from "../../../test/addresses.ts";
import { loopbackHosts, serveLoopback } from "../../../test/loopback-server.ts";
import { failure } from "../../../test/pooled.ts";
import { urlHosts } from "../../../test/url-hosts.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

const hosts = [0n, 1n, 0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5an, (1n << 128n) - 1n];
const addressesOf = (range: Range) => [...new Set(hosts.map((host) => randomAddress(range, host)))];
const addresses = privateRanges.flatMap(addressesOf);

/** Counts every socket that this process opens. */
function countSockets(): () => number {
  let sockets = 0;
  const count = () => void (sockets += 1);
  subscribe("net.client.socket", count);
  onTestFinished(() => void unsubscribe("net.client.socket", count));
  return () => sockets;
}

/** A name server of the test's own: each lookup takes the next answer, the last one stays. */
function answering(...answers: string[][]): LookupFunction {
  let asked = 0;
  return (_hostname, _options, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? [];
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    );
  };
}

/** Fetches each URL, and gives those that were not refused for this reason, or are quoted in the refusal. */
async function notRefused(urls: readonly string[], reason: string, lookup?: LookupFunction): Promise<string[]> {
  const guardedFetch = createGuardedFetch(lookup === undefined ? {} : { lookup });
  const passed: string[] = [];
  for (const url of urls) {
    const error = await failure(guardedFetch(url)).catch(() => undefined);
    if (error?.code !== "invalid_request" || error.fields["reason"] !== reason) passed.push(url);
    else if (url !== "" && error.message.includes(url)) passed.push(`quoted: ${url}`);
  }
  return passed;
}

describe("a guarded fetch", () => {
  it("opens no socket to a private address, in any spelling of it", async () => {
    const sockets = countSockets();
    const urls = addresses.flatMap((address) => urlHosts(address).map((host) => `http://${host}/secret`));

    expect(urls.length).toBeGreaterThan(900);
    expect(await notRefused(urls, "private_address")).toEqual([]);
    expect(sockets()).toBe(0);
  });

  it.each([
    ["the only answer", (address: string) => [address]],
    ["among public answers, first", (address: string) => [address, "8.8.8.8", "2606:4700:4700::1111"]],
    ["among public answers, last", (address: string) => ["8.8.8.8", "2606:4700:4700::1111", address]],
  ])("opens no socket to a name when a private address is %s", async (_, answer) => {
    const secret = await serveLoopback(() => {});
    const passed: string[] = [];
    for (const address of addresses) {
      const url = `http://a.example:${secret.port}/`;
      passed.push(...(await notRefused([url], "private_address", answering(answer(address)))));
    }

    expect(addresses.length).toBeGreaterThan(90);
    expect(passed).toEqual([]);
    expect(secret.connections()).toBe(0);
  });

  it("opens no socket to a name without an address", async () => {
    const sockets = countSockets();

    expect(await notRefused(["http://a.example/"], "private_address", answering([]))).toEqual([]);
    // The socket that asks for the name is there; it never gets an address to connect to.
    expect(sockets()).toBeLessThanOrEqual(1);
  });

  it("opens no socket for another scheme, or with a user name or password", async () => {
    const sockets = countSockets();
    const schemes = ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:text/plain,hi"];
    const others = ["blob:http://127.0.0.1/x", "unix:/var/run/docker.sock", "ws://127.0.0.1/", "//127.0.0.1/", ""];
    const users = ["http://user@a.example/", "http://:pass@a.example/", "http://a.example:80@127.0.0.1/"];
    const zones = ["http://[fe80::1%25eth0]/", "http://[::1%lo]/"];
    const urls = [...schemes, ...others, ...users, ...zones];

    expect(await notRefused(urls, "not_http")).toEqual([]);
    expect(sockets()).toBe(0);
  });
});

describe("a guarded fetch redirected from an allowed host", () => {
  it.each([301, 302, 303, 307, 308])("reaches nothing private by status %i", async (status) => {
    const secrets = await Promise.all(loopbackHosts().map((host) => serveLoopback(() => {}, { host })));
    const targets = [
      ...addresses.flatMap((address) =>
        urlHosts(address)
          .slice(0, 1)
          .map((host) => `http://${host}/`),
      ),
      ...secrets.map(({ url }) => url),
      ...secrets.map(({ port }) => `http://2130706433:${port}/`),
      ...secrets.map(({ port }) => `//localhost:${port}/`),
    ];
    const door = await serveLoopback((request, response) => {
      response.writeHead(status, { location: targets[Number(request.url?.slice(1))] }).end();
    });
    const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`127.0.0.1:${door.port}`] });

    for (const index of targets.keys()) {
      const error = await failure(guardedFetch(`${door.url}/${index}`));
      expect([targets[index], error.fields["reason"]]).toEqual([targets[index], "private_address"]);
    }

    expect(door.requests).toHaveLength(targets.length);
    expect(secrets.map((secret) => secret.connections())).toEqual(secrets.map(() => 0));
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/", "data:text/plain,hi", "http://user:pass@a.example/", "http://["])(
    "stops at %s",
    async (location) => {
      const door = await serveLoopback((_, response) => response.writeHead(302, { location }).end());
      const guardedFetch = createGuardedFetch({ allowPrivateHosts: [`127.0.0.1:${door.port}`] });

      expect((await failure(guardedFetch(door.url))).fields).toEqual({ reason: "not_http" });
    },
  );
});

describe("a guarded fetch of a name that changes its answer", () => {
  it("looks a name up once per connection, and uses the checked addresses", async () => {
    const secret = await serveLoopback((_, response) => response.end("secret"));
    const asked: string[] = [];
    const rebinding = answering(["192.0.2.1"], ["127.0.0.1"]);
    const lookup: LookupFunction = (hostname, options, callback) => {
      asked.push(hostname);
      rebinding(hostname, options, callback);
    };

    const error = await failure(createGuardedFetch({ lookup })(`http://a.example:${secret.port}/`));

    expect([error.fields["reason"], asked]).toEqual(["private_address", ["a.example"]]);
    expect(secret.connections()).toBe(0);
  });

  it("rejects the new address at the next connection", async () => {
    const secret = await serveLoopback((_, response) => response.end("secret"));
    const controller = new AbortController();
    const rebinding = answering(["8.8.8.8"], ["127.0.0.1"]);
    const lookup: LookupFunction = (hostname, options, callback) => {
      // The first answer is public: the test leaves before anything goes out to it.
      controller.abort();
      rebinding(hostname, options, callback);
    };
    const guardedFetch = createGuardedFetch({ lookup });
    const url = `http://a.example:${secret.port}/`;

    await expect(guardedFetch(url, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });

    expect((await failure(guardedFetch(url))).fields).toEqual({ reason: "private_address" });
    expect(secret.connections()).toBe(0);
  });
});
