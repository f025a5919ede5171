import { once } from "node:events";
import { Agent } from "@troupe/core";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSocket, requestBytes } from "./test/clients.ts";
import { serve } from "./test/serve.ts";
import type { Service } from "./test/serve.ts";
import { settled } from "./test/settled.ts";
import { Vendor, VendorModel } from "./test/vendor.ts";
import type { VendorPlan } from "./test/vendor.ts";

const readers = 50;
const rounds = 7;
const patience = { timeout: 15_000, interval: 20 };

async function startModel(plan: VendorPlan): Promise<VendorModel> {
  const vendor = await Vendor.start(plan);
  onTestFinished(() => vendor.close());
  return new VendorModel(vendor.url);
}

/** How long readers who ask all at once wait for the first token: the one in the middle. */
async function timeToFirstToken(service: Service): Promise<number> {
  const runsBefore = service.runs.size;
  const sockets = await Promise.all(Array.from({ length: readers }, () => openSocket(service)));
  const times = await Promise.all(
    sockets.map(async (socket) => {
      const askedAt = performance.now();
      socket.write(requestBytes("/agents/brief/stream"));
      let text = "";
      while (!text.includes('"type":"text"')) text += String(await once(socket, "data"));
      return performance.now() - askedAt;
    }),
  );
  for (const socket of sockets) socket.destroy();
  await vi.waitUntil(() => service.runs.size === runsBefore, patience);
  return median(times);
}

/** Has readers ask for an endless stream and stop reading after its first bytes. Gives back what ends them. */
async function stopReading(service: Service, model: VendorModel): Promise<() => Promise<void>> {
  const sockets = await Promise.all(Array.from({ length: readers }, () => openSocket(service)));
  for (const socket of sockets) socket.write(requestBytes("/agents/endless/stream"));
  await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const socket of sockets) socket.pause();
  await settled(() => model.readBytes);
  return async () => {
    expect(service.runs.size).toBe(readers);
    for (const socket of sockets) socket.destroy();
    await vi.waitUntil(() => service.runs.size === 0, patience);
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Infinity;
}

it(`${readers} readers that have stopped reading delay nobody's first token`, { timeout: 120_000 }, async () => {
  const endless = await startModel({ pieces: 65_536, pieceBytes: 16_384 });
  const brief = await startModel({ pieces: 3, pieceBytes: 20 });
  const agents = {
    endless: new Agent({ name: "endless", model: endless }),
    brief: new Agent({ name: "brief", model: brief }),
  };
  const service = await serve({ agents });
  await timeToFirstToken(service);

  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await timeToFirstToken(service);
    const end = await stopReading(service, endless);
    const beside = await timeToFirstToken(service);
    await end();
    ratios.push(beside / alone);
    console.log(alone, beside, endless.readBytes / 1e6, process.memoryUsage().rss / 1e6);
  }

  expect(median(ratios)).toBeLessThan(1.5);
});
