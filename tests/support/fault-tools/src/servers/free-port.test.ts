import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { freePort } from "./free-port.ts";

it("is below the ports that a system gives to those who ask for any, and not the one before", async () => {
  const ports = [await freePort(), await freePort(), await freePort()];

  expect(new Set(ports).size).toBe(3);
  expect(Math.max(...ports)).toBeLessThan(32_768);
});

it("is not one that is in use", async () => {
  const port = await freePort();
  const next = [port + 1, port + 2];
  const servers = next.map((each) => createServer().listen(each, "127.0.0.1"));
  // One that another process has taken fails, and is as good here.
  await Promise.allSettled(servers.map(async (server) => await once(server, "listening")));

  expect(next).not.toContain(await freePort());
  for (const server of servers) server.close();
});

it("fails for a host that is not of this machine", async () => {
  await expect(freePort("192.0.2.1")).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
});
