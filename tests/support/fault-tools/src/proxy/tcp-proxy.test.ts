import { once } from "node:events";
import { connect } from "node:net";
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { freePort } from "../servers/free-port.ts";
import type { ProxyFaults } from "./proxy-faults.ts";
import { TcpProxy } from "./tcp-proxy.ts";
import { connectTo, QuietServer, disposable } from "./test/servers.ts";
import type { Seen } from "./test/servers.ts";

const patience = { timeout: 10_000, interval: 5 };
const eventually = async (holds: () => unknown) => await vi.waitFor(() => expect(holds()).toBeTruthy(), patience);

let server: QuietServer;
let proxy: TcpProxy;
const clients: Seen[] = [];

beforeEach(async () => {
  server = new QuietServer();
  proxy = await TcpProxy.start({ target: await server.start() });
});

afterEach(async () => {
  for (const { socket } of clients.splice(0)) socket.destroy();
  await proxy.close();
  server.close();
});

/** Connects a client that has sent "hello", and then sets the faults. */
async function pair(faults: ProxyFaults = {}): Promise<{ client: Seen; target: Seen }> {
  const client = await connectTo(proxy);
  clients.push(client);
  client.socket.write("hello");
  await eventually(() => server.connections.at(-1)?.text === "hello");
  proxy.setFaults(faults);
  const target = server.connections.at(-1);
  if (target === undefined) throw new Error("The server has no connection.");
  return { client, target };
}

describe("a proxy without faults", () => {
  it("passes bytes both ways and counts them", async () => {
    const { client, target } = await pair();
    const bytes = randomBytes(3_000_000);
    target.socket.write(bytes);
    await eventually(() => client.size === bytes.length);

    expect(client.bytes.equals(bytes)).toBe(true);
    expect(proxy.connections[0]).toMatchObject({ toTarget: { bytes: 5 }, toClient: { bytes: bytes.length } });
  });

  it("passes the end of one direction and keeps the other open", async () => {
    const { client, target } = await pair();
    client.socket.end();
    await eventually(() => target.end === "FIN");
    target.socket.end("goodbye");
    await eventually(() => client.end === "FIN");

    expect(client.text).toBe("goodbye");
    await eventually(() => proxy.connections[0]?.end === "closed");
  });

  it.each(["client", "target"] as const)("passes on a reset of the %s", async (who) => {
    const both = await pair();
    both[who].socket.resetAndDestroy();
    const other = who === "client" ? both.target : both.client;

    await eventually(() => other.end === "ECONNRESET");
    expect(proxy.connections[0]?.end).toBe("broken");
  });

  it("passes on the backpressure of a reader that does not read", async () => {
    const { client, target } = await pair();
    client.socket.pause();
    const bytes = randomBytes(40_000_000);
    target.socket.write(bytes);
    let earlier = -1;
    // What has got through grows until the buffers on the way are full, and then no more.
    await vi.waitFor(
      () => {
        const now = proxy.connections[0]?.toClient.bytes ?? 0;
        const before = earlier;
        earlier = now;
        expect(now).toBe(before);
      },
      { timeout: 10_000, interval: 200 },
    );

    expect(earlier).toBeLessThan(20_000_000);
    // The rest is still with the writer, and not in the proxy.
    expect(target.socket.writableLength).toBeGreaterThan(20_000_000);
    client.socket.resume();
    await eventually(() => client.size === bytes.length);
    expect(client.bytes.equals(bytes)).toBe(true);
  });

  it("resets a client whose target refuses the connection", async () => {
    await using over = await disposable({ host: "127.0.0.1", port: await freePort() });
    const client = await connectTo(over.proxy);

    await eventually(() => client.end === "ECONNRESET");
    expect(over.proxy.connections[0]?.end).toBe("broken");
  });
});

describe("a proxy with faults", () => {
  it("delays each piece by the latency", async () => {
    const { client, target } = await pair({ toClient: { latencyMs: 80 } });
    const start = performance.now();
    target.socket.write("late");
    await eventually(() => client.text === "late");

    expect(performance.now() - start).toBeGreaterThanOrEqual(79);
  });

  it("slices writes without changing a byte", async () => {
    const { client, target } = await pair({ toClient: { sliceBytes: 1 }, toTarget: { sliceBytes: 7 } });
    const bytes = randomBytes(5000);
    target.socket.write(bytes);
    client.socket.write(bytes);
    await eventually(() => client.size === 5000 && target.size === 5005);

    expect(client.bytes.equals(bytes)).toBe(true);
    expect(target.bytes.subarray(5).equals(bytes)).toBe(true);
    expect(proxy.connections[0]?.toClient.writes).toBe(5000);
    expect(proxy.connections[0]?.toTarget.writes).toBeGreaterThanOrEqual(716);
  });

  it("keeps to bytesPerSecond", async () => {
    const { client, target } = await pair({ toClient: { bytesPerSecond: 10_000, sliceBytes: 250 } });
    const start = performance.now();
    target.socket.write(randomBytes(1000));
    await eventually(() => client.size === 1000);

    // The last slice arrives before it is paid for.
    expect(performance.now() - start).toBeGreaterThanOrEqual(74);
  });

  it.each([0, 1, 1000])("cuts the connection after exactly %i bytes with a clean end", async (cutAfterBytes) => {
    const { client, target } = await pair({ toClient: { cutAfterBytes } });
    target.socket.write(randomBytes(2000));
    await eventually(() => client.end !== undefined && target.end !== undefined);

    expect(client.end).toBe("FIN");
    expect(client.size).toBe(cutAfterBytes);
    expect(proxy.connections[0]?.end).toBe("cut");
  });

  it("ends cleanly although the client is still sending when it is cut", async () => {
    const { client, target } = await pair({ toClient: { cutAfterBytes: 3 } });
    client.socket.write(randomBytes(500_000));
    target.socket.write("abcdef");
    await eventually(() => client.end !== undefined);
    client.socket.write(randomBytes(500_000));
    client.socket.end();
    await proxy.connections[0]?.closed;

    expect(client.end).toBe("FIN");
    expect(client.text).toBe("abc");
  });

  it("cuts the direction from the client too", async () => {
    const { client, target } = await pair({ toTarget: { cutAfterBytes: 8 } });
    client.socket.write(" world");
    await eventually(() => target.end !== undefined && client.end !== undefined);

    expect(target.text).toBe("hello wo");
    expect(target.end).toBe("FIN");
  });

  it.each([0, 1000])("resets the connection after %i bytes", async (resetAfterBytes) => {
    const { client, target } = await pair({ toClient: { resetAfterBytes } });
    target.socket.write(randomBytes(2000));
    await eventually(() => client.end !== undefined && target.end !== undefined);

    expect([client.end, target.end]).toEqual(["ECONNRESET", "ECONNRESET"]);
    expect(client.size).toBe(resetAfterBytes);
    expect(proxy.connections[0]?.end).toBe("reset");
  });

  it("resets both sides when asked to", async () => {
    const { client, target } = await pair();
    proxy.reset();
    await eventually(() => client.end !== undefined && target.end !== undefined);

    expect([client.end, target.end]).toEqual(["ECONNRESET", "ECONNRESET"]);
    expect(proxy.open).toEqual([]);
  });

  it("holds everything back in a black hole and passes it on in order when the fault is removed", async () => {
    const { client, target } = await pair({ toTarget: { blackHole: true }, toClient: { blackHole: true } });
    client.socket.write("lost?");
    target.socket.end("words");
    // A second connection shows that time has passed and that new ones fall in, too.
    const second = await connectTo(proxy);
    clients.push(second);
    second.socket.write("anyone?");
    await eventually(() => server.connections.length === 2);

    expect([client.text, target.text, server.connections[1]?.text]).toEqual(["", "hello", ""]);
    expect(client.end).toBeUndefined();
    proxy.setFaults();
    await eventually(
      () => client.end === "FIN" && target.text === "hellolost?" && server.connections[1]?.text === "anyone?",
    );
    expect(client.text).toBe("words");
  });

  it.each(["end", "resetAndDestroy"] as const)("hides from the client that the target left by %s", async (leave) => {
    const { client, target } = await pair({ toClient: { halfOpen: true } });
    target.socket.write("last words");
    await eventually(() => client.text === "last words");
    target.socket[leave]();
    await once(target.socket, leave === "end" ? "finish" : "close");
    client.socket.write("still there?");
    // Another connection goes through meanwhile.
    const other = await connectTo(proxy);
    clients.push(other);
    other.socket.write("hi");
    await eventually(() => server.connections[1]?.text === "hi");

    expect(client.end).toBeUndefined();
    proxy.setFaults();
    await eventually(() => client.end === (leave === "end" ? "FIN" : "ECONNRESET"));
  });

  it("refuses new connections and keeps the open ones", async () => {
    const { client, target } = await pair();
    proxy.refuseConnections();
    const refused = connect({ host: proxy.host, port: proxy.port });
    const [error] = await once(refused, "error").catch((reason: unknown) => [reason]);
    target.socket.write("still here");
    await eventually(() => client.text === "still here");

    expect(error).toMatchObject({ code: "ECONNREFUSED" });
    await proxy.acceptConnections();
    const again = await connectTo(proxy);
    clients.push(again);
    again.socket.write("back");
    await eventually(() => server.connections[1]?.text === "back");
  });
});

describe("a closed proxy", () => {
  it("leaves no socket and no timer, also after faults that were holding data", async () => {
    // Other tests of this process may have left connections, which can only become fewer.
    const before = countSockets() - ownSockets;
    const { client, target } = await pair({
      toClient: { blackHole: true },
      toTarget: { latencyMs: 600_000 },
    });
    client.socket.write("held");
    target.socket.write("held");
    await connectTo(proxy).then((one) => clients.push(one));
    await proxy.close();
    await eventually(() => client.end !== undefined && target.end !== undefined);
    for (const { socket } of clients) socket.destroy();
    server.close();

    await eventually(() => countSockets() <= before);
    expect(proxy.open).toEqual([]);
    await proxy.close();
  });
});

/** The listening sockets of the server and the proxy that each test begins with. */
const ownSockets = 2;

function countSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name.startsWith("TCP")).length;
}
