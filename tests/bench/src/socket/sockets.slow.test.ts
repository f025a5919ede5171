import { expect, it, onTestFinished, vi } from "vitest";
import { ask, startChild, stopChild } from "../child.ts";
import type { Child } from "../child.ts";
import type { VendorAnswer, VendorOrder } from "../http/slow-vendor.ts";
import type { HeldBySockets } from "./serve-socket.ts";
import type { SocketAnswer, SocketOrder, Transport } from "./socket-clients.ts";

const many = 1000;
const patience = { timeout: 120_000, interval: 200 };
/** Bytes of heap that a socket with a run under way may take, beside what an idle one takes: twice what was measured. */
const heapPerRun = 60_000;

async function start(file: string, core: number, env: Record<string, string> = {}): Promise<Child> {
  const child = await startChild(file, core, env);
  onTestFinished(() => stopChild(child));
  return child;
}

/** Starts a gateway, its vendor and its clients, in processes of their own. */
async function startTrial(vendorEnv: Record<string, string>) {
  const vendor = await start("http/slow-vendor.ts", 1, vendorEnv);
  const server = await start("socket/gateway.ts", 0, { BENCH_VENDOR_URL: vendor.url });
  const clients = await start("socket/socket-clients.ts", 1);
  const held = () => ask<HeldBySockets>(server, { held: true });
  const tell = (order: SocketOrder) => ask<SocketAnswer>(clients, order);
  const vendorStreams = async () => (await ask<VendorAnswer>(vendor, { count: true } satisfies VendorOrder)).open;
  return { url: server.url, held, tell, vendorStreams };
}

it.each<[count: number, transport: Transport]>([
  [many, "websocket"],
  [250, "polling"],
])(
  "a gateway has %i sockets over %s with a run on each, and nothing is left of them when they are cut",
  async (count, transport) => {
    const { url, held, tell, vendorStreams } = await startTrial({ BENCH_EVERY_MS: "1000" });
    // The first sockets and runs leave compiled code and pools behind for good.
    await tell({ connect: 20, url, transport });
    await tell({ begin: true });
    await tell({ cut: true });
    await vi.waitFor(async () => expect(await held()).toMatchObject({ runs: 0, sockets: 0 }), patience);
    const before = await held();

    expect(await tell({ connect: count, url, transport })).toMatchObject({ connected: count });
    const idle = await held();
    expect(await tell({ begin: true })).toMatchObject({ connected: count });
    const busy = await held();

    expect(busy).toMatchObject({ runs: count, sockets: count });
    expect(await vendorStreams()).toBe(count);
    expect((busy.heapBytes - idle.heapBytes) / count).toBeLessThan(heapPerRun);

    await tell({ cut: true });
    await vi.waitFor(async () => {
      expect(await held()).toMatchObject({ runs: 0, sockets: 0, listeners: 0, connections: 0 });
      expect(await vendorStreams()).toBe(0);
    }, patience);
    await vi.waitFor(async () => expect((await held()).timers).toBeLessThanOrEqual(before.timers), patience);
  },
);

it(`${many} sockets get all chunks and the end of a run each, and their sockets take another`, async () => {
  const chunks = 20;
  const { url, held, tell, vendorStreams } = await startTrial({ BENCH_EVERY_MS: "50", BENCH_CHUNKS: String(chunks) });
  await tell({ connect: many, url, transport: "websocket" });
  const idle = await held();

  const first = await tell({ runs: 1, url, transport: "websocket" });
  const second = await tell({ runs: 1, url, transport: "websocket" });

  expect([first.chunks, second.chunks]).toEqual([many * chunks, many * chunks]);
  expect(await vendorStreams()).toBe(0);
  expect(await held()).toMatchObject({ runs: 0, sockets: many, listeners: idle.listeners });
});
