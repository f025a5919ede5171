import type { Server as HttpServer } from "node:http";
import { settled, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import { Agent } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PollingClient } from "../test/polling-client.ts";
import { ServedGateway, unixSocket } from "../test/serve-gateway.ts";
import type { GatewayOptions } from "./gateway-options.ts";

const patience = { timeout: 90_000, interval: 100 };
const megabyte = 1024 * 1024;
const pieceBytes = 16_384;
/** A client that stops reading answers no pings, and would be disconnected for that. */
const unhurried = { pingInterval: 1_000_000 };

async function startVendor(pieces = 65_536) {
  const vendor = await Vendor.start({ pieces, pieceBytes });
  onTestFinished(() => vendor.close());
  const model = new VendorModel(vendor.url);
  return { vendor, model, agents: { a: new Agent({ name: "a", model, logLevel: "silent" }) } };
}

/** Serves agents on a Unix socket, and connects clients whose reading can be paused. */
async function serveReaders(options: Omit<GatewayOptions, "io">) {
  const { path, agent, connections } = unixSocket();
  const served = await ServedGateway.start(options, { ...unhurried, path });
  const { io, gateway, lines } = served;
  // The type of the option is that of a browser.
  const connect = async ({ auth = {} }: { auth?: object } = {}) =>
    await served.connect({ transports: ["websocket"], agent: agent as unknown as string, auth });
  return { io, gateway, lines, connect, connections };
}

async function connectionsOf({ httpServer }: ServedGateway["io"]): Promise<number> {
  return await new Promise((resolve) => {
    (httpServer as HttpServer).getConnections((_, count) => resolve(count));
  });
}

/** Starts runs on a socket, and resolves when one has said something. */
async function ask(socket: Socket, runs = 1): Promise<void> {
  const begun = new Promise((resolve) => socket.once("agent.chunk", resolve));
  for (let run = 0; run < runs; run++) socket.emit("agent.run", { name: "a", input: "Hello?" });
  await begun;
}

describe("a client that stops reading its WebSocket", () => {
  it.each([1, 8])(
    "stops the vendor's stream, with %i runs on a socket: at most two megabytes more are read of each gigabyte [socket.backpressure]",
    async (runs) => {
      const { vendor, model, agents } = await startVendor();
      const { gateway, connect, connections } = await serveReaders({ agents });
      const sockets = await Promise.all(Array.from({ length: 5 }, () => connect()));

      await Promise.all(sockets.map((socket) => ask(socket, runs)));
      for (const connection of connections) connection.pause();
      const before = model.readBytes;
      const taken = (await settled(() => model.readBytes)) - before;

      expect(taken / sockets.length).toBeLessThan(2 * megabyte);
      expect(gateway.service.servedRuns.size).toBe(sockets.length * runs);
      for (const connection of connections) connection.destroy();
      await vi.waitUntil(() => gateway.service.servedRuns.size === 0 && vendor.answering === 0, patience);
    },
  );

  it("gets the rest without a gap when it reads again [socket.backpressure]", async () => {
    const { model, agents } = await startVendor(1000);
    const { connect, connections } = await serveReaders({ agents });
    const socket = await connect();
    let received = 0;
    socket.on("agent.chunk", ({ chunk }: { chunk: string }) => (received += chunk.length));
    const done = new Promise((resolve) => socket.once("agent.done", resolve));

    await ask(socket);
    for (const connection of connections) connection.pause();
    const taken = await settled(() => model.readBytes);
    for (const connection of connections) connection.resume();
    await done;

    expect(taken).toBeLessThan(1000 * pieceBytes);
    expect(received).toBe(1000 * pieceBytes);
  });

  it("is dropped after thirty seconds, and its run is cancelled [socket.stopped-reader]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { vendor, model, agents } = await startVendor();
    const { gateway, lines, connect, connections } = await serveReaders({ agents });
    await ask(await connect());
    for (const connection of connections) connection.pause();
    await settled(() => model.readBytes);

    expect(gateway.service.servedRuns.size).toBe(1);
    // On a busy machine the stream may only have seemed to stand still: each look moves the fake clock on.
    await vi.waitUntil(() => vi.advanceTimersByTime(30_000) && gateway.service.servedRuns.size === 0, patience);

    await vi.waitUntil(() => vendor.answering === 0, patience);
    expect(lines.join("\n")).toContain("does not read");
  });

  it("is dropped at the limit when it asks on without reading the answers, and others go on [socket.stopped-reader]", async () => {
    const agents = {
      a: new Agent({ name: "a", model: new ScriptedModel().respond(() => "Hello."), logLevel: "silent" }),
    };
    const { io, gateway, lines, connect, connections } = await serveReaders({ agents, maxBufferedBytes: 100_000 });
    const stopped = await connect();
    for (const connection of connections) connection.pause();
    const other = await connect();

    for (let asked = 0; asked < 10_000; asked++) stopped.emit("agent.run", { name: `missing ${asked}` });
    await vi.waitUntil(() => io.of("/service").sockets.size === 1, patience);
    await vi.waitUntil(() => gateway.service.servedRuns.size === 0, patience);
    // At once: a connection that is closed in order stays open until its client has read all.
    await vi.waitUntil(async () => (await connectionsOf(io)) === 1, { timeout: 15_000 });
    const done = new Promise((resolve) => other.once("agent.done", resolve));
    other.emit("agent.run", { name: "a", input: "Hello?" });
    await done;

    expect(lines.filter((line) => line.includes("does not read"))).toHaveLength(1);
  });
});

describe("clients that stop reading large answers", () => {
  /** A model whose answer of three megabytes comes in one piece. */
  const large = new ScriptedModel().respond(() => ({ text: "x".repeat(3 * megabyte) }));

  it("hold no more than maxTotalBufferedBytes, and a signed-in user who reads is not dropped for them [socket.stopped-reader]", async () => {
    const agents = { a: new Agent({ name: "a", model: large, logLevel: "silent" }) };
    const { io, gateway, lines, connect, connections } = await serveReaders({
      agents,
      maxTotalBufferedBytes: 16 * megabyte,
      authMiddleware: ({ data, handshake }, next) => {
        const { user } = handshake.auth as { user?: string };
        if (user !== undefined) Object.assign(data as object, { principal: { userId: user } });
        next();
      },
    });
    const stopped = await Promise.all(Array.from({ length: 20 }, () => connect()));
    for (const connection of connections) connection.pause();
    const reader = await connect({ auth: { user: "ada" } });

    for (const socket of stopped) socket.emit("agent.run", { name: "a", input: "Hello?" });
    await vi.waitUntil(() => lines.length > 0, patience);
    const done = new Promise((resolve) => reader.once("agent.done", resolve));
    reader.emit("agent.run", { name: "a", input: "Hello?" });
    await done;
    // Each client that is left holds an answer of three megabytes, and waits with as much.
    await vi.waitUntil(() => io.of("/service").sockets.size <= 1 + 16 / 3, patience);

    expect(lines.every((line) => line.includes("maxTotalBufferedBytes"))).toBe(true);
    expect(reader.connected).toBe(true);
    expect(gateway.service.servedRuns.size).toBeLessThanOrEqual(16 / 3);
    for (const connection of connections) connection.destroy();
    await vi.waitUntil(() => gateway.service.servedRuns.size === 0, patience);
  });

  it("are dropped after a minute at most although their runs are over [socket.stopped-reader]", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const model = new ScriptedModel().respond(() => ({ text: "x".repeat(60_000) }));
    const { io, gateway, lines, connect, connections } = await serveReaders({
      agents: { a: new Agent({ name: "a", model, logLevel: "silent" }) },
    });
    const socket = await connect();
    for (const connection of connections) connection.pause();
    for (let run = 0; run < 8; run++) socket.emit("agent.run", { name: "a", input: "Hello?" });
    await vi.waitUntil(() => model.calls.length === 8, patience);

    await vi.waitUntil(() => vi.advanceTimersByTime(30_000) && io.of("/service").sockets.size === 0, patience);

    await vi.waitUntil(() => gateway.service.servedRuns.size === 0, patience);
    expect(lines.join("\n")).toContain("stalled");
  });
});

describe("a client that polls no more", () => {
  it("stops the vendor's stream: at most two megabytes more are read of each gigabyte [socket.backpressure]", async () => {
    const { vendor, model, agents } = await startVendor();
    const { gateway, io, url } = await ServedGateway.start({ agents }, unhurried);
    const clients = await Promise.all(Array.from({ length: 5 }, () => PollingClient.join(url)));

    for (const client of clients) await client.send('42/service,["agent.run",{"name":"a","input":"Hello?"}]');
    await vi.waitUntil(() => vendor.answering === 5, patience);
    const taken = await settled(() => model.readBytes);

    expect(taken / clients.length).toBeLessThan(2 * megabyte);
    expect(gateway.service.servedRuns.size).toBe(5);
    io.of("/service").disconnectSockets(true);
    await vi.waitUntil(() => gateway.service.servedRuns.size === 0 && vendor.answering === 0, patience);
  });
});
