import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";

it("the count of waits counts the faked timers of a test, and not those of a connection that ends meanwhile", async () => {
  const server = createServer((_, response) => {
    response.write("first");
    setImmediate(() => response.end("last"));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    vi.useRealTimers();
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  await response.text();
  for (let turns = 0; turns < 50; turns++) await turn();
  setTimeout(() => undefined, 5);

  expect(vi.getTimerCount()).toBe(1);
});
