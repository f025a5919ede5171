import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { ProxyFaults } from "./proxy-faults.ts";
import { disposable } from "./test/servers.ts";

describe("a proxy without faults", () => {
  it("serves HTTP", async () => {
    const http = createServer((_request, response) => response.end("pong")).listen(0, "127.0.0.1");
    await once(http, "listening");
    await using over = await disposable({ host: "127.0.0.1", port: (http.address() as AddressInfo).port });

    expect(await (await fetch(over.proxy.url)).text()).toBe("pong");
    http.close();
    http.closeAllConnections();
  });
});

describe("a proxy with faults", () => {
  it("causes the errors that fetch names ECONNRESET, UND_ERR_SOCKET and ECONNREFUSED", async () => {
    const http = createServer((_request, response) => response.end("x".repeat(5000))).listen(0, "127.0.0.1");
    await once(http, "listening");
    await using over = await disposable({ host: "127.0.0.1", port: (http.address() as AddressInfo).port });
    const failure = async (faults: ProxyFaults) => {
      over.proxy.setFaults(faults);
      const error: Error = await fetch(over.proxy.url)
        .then(async (response) => await response.text())
        .then(
          () => new Error("It went well."),
          (reason: Error) => reason,
        );
      return [error.message, (error.cause as NodeJS.ErrnoException | undefined)?.code];
    };

    expect(await failure({ toClient: { resetAfterBytes: 0 } })).toEqual(["fetch failed", "ECONNRESET"]);
    expect(await failure({ toClient: { cutAfterBytes: 0 } })).toEqual(["fetch failed", "UND_ERR_SOCKET"]);
    expect(await failure({ toClient: { resetAfterBytes: 1000 } })).toEqual(["terminated", "ECONNRESET"]);
    expect(await failure({ toClient: { cutAfterBytes: 1000 } })).toEqual(["terminated", "UND_ERR_SOCKET"]);
    over.proxy.refuseConnections();
    expect(await failure({})).toEqual(["fetch failed", "ECONNREFUSED"]);
    http.close();
    http.closeAllConnections();
  });
});
