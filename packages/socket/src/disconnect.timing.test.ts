import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom, TcpProxy, TestChild, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import { Agent } from "@troupe/core";
import type { ServerOptions } from "socket.io";
import type { Socket } from "socket.io-client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ServedGateway } from "../test/serve-gateway.ts";
import type { Transport } from "../test/serve-gateway.ts";

const patience = { timeout: 10_000, interval: 2 };
const trials = 50;
const random = seededRandom(1);

async function serveVendor(server: Partial<ServerOptions> = {}) {
  const vendor = await Vendor.start({ pieces: 10_000, pieceBytes: 20, everyMs: 10 });
  onTestFinished(() => vendor.close());
  const agents = { a: new Agent({ name: "a", model: new VendorModel(vendor.url), logLevel: "silent" }) };
  const served = await ServedGateway.start({ agents }, server);
  const proxy = await TcpProxy.start({ target: { host: "127.0.0.1", port: Number(new URL(served.url).port) } });
  onTestFinished(() => proxy.close());
  return { vendor, served, proxy };
}
type Place = Awaited<ReturnType<typeof serveVendor>>;

/** A way of leaving. */
type Leaving = (socket: Socket, proxy: TcpProxy) => void;

const inOrder: Leaving = (socket) => void socket.disconnect();
/** The connections break without a word of the client, as when its process is killed. */
const broken: Leaving = (_, proxy) => proxy.reset();

/** Returns the milliseconds from the leaving of a client in mid-run until the vendor's call is aborted. */
async function timeOfAbort({ vendor, served, proxy }: Place, transport: Transport, leave: Leaving): Promise<number> {
  const socket = await served.connect({ transports: [transport] }, proxy.url);
  const left = vendor.leftAt.length;
  const begun = new Promise((resolve) => socket.once("agent.chunk", resolve));
  socket.emit("agent.run", { name: "a", input: "Hello?" });
  await begun;
  await sleep(random() * 20);

  const startedAt = performance.now();
  leave(socket, proxy);
  await vi.waitUntil(() => vendor.leftAt.length > left, patience);
  socket.disconnect();
  return (vendor.leftAt.at(-1) ?? Infinity) - startedAt;
}

describe("a client that disconnects in mid-run", () => {
  it.each<[transport: Transport, how: string, leave: Leaving]>([
    ["websocket", "in order", inOrder],
    ["polling", "in order", inOrder],
    ["websocket", "by a broken connection", broken],
    // A server notices a broken connection of a polling client only while it polls: see below.
  ])(
    "aborts the vendor's call over %s %s within 20 ms in the median and 250 ms at most, over 50 trials [socket.disconnect]",
    async (transport, _, leave) => {
      const place = await serveVendor();
      const times: number[] = [];
      for (let trial = 0; trial < trials; trial++) times.push(await timeOfAbort(place, transport, leave));
      times.sort((one, other) => one - other);

      expect(times[trials / 2]).toBeLessThanOrEqual(20);
      expect(times.at(-1)).toBeLessThanOrEqual(250);
      expect(place.served.gateway.service.servedRuns.size).toBe(0);
    },
  );
});

describe("a client that falls silent in mid-run", () => {
  const [pingInterval, pingTimeout] = [300, 200];

  it.each<[transport: Transport, fate: "frozen" | "killed"]>([
    ["websocket", "frozen"],
    ["polling", "frozen"],
    ["websocket", "killed"],
    ["polling", "killed"],
  ])(
    "aborts the vendor's call within pingInterval, pingTimeout and a second over %s when its process is %s [socket.silent-client]",
    async (transport, fate) => {
      const { vendor, served } = await serveVendor({ pingInterval, pingTimeout });
      const program = new URL("../test/asking-client.ts", import.meta.url);
      const client = await TestChild.start(program, { args: [served.url, transport] });
      onTestFinished(() => client.close());
      await vi.waitUntil(() => client.messages.length > 0);

      const startedAt = performance.now();
      await (fate === "frozen" ? client.freeze() : client.kill());
      await vi.waitUntil(() => vendor.leftAt.length > 0, patience);

      expect((vendor.leftAt[0] ?? Infinity) - startedAt).toBeLessThanOrEqual(pingInterval + pingTimeout + 1000);
      expect(served.gateway.service.servedRuns.size).toBe(0);
    },
  );
});
