import { once } from "node:events";
import { connect } from "node:net";
import { Agent } from "@troupe/core";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSocket, requestBytes } from "./test/clients.ts";
import { alsoListenOnPath } from "./test/listen-on-path.ts";
import { serve } from "./test/serve.ts";
import type { Service } from "./test/serve.ts";
import { settled } from "./test/settled.ts";
import { Vendor, VendorModel } from "./test/vendor.ts";
import type { VendorPlan } from "./test/vendor.ts";

const readers = 50;
const rounds = 6;
const patience = { timeout: 15_000, interval: 20 };

type Place = { service: Service; path: string; endless: VendorModel };

async function startModel(plan: VendorPlan): Promise<VendorModel> {
  const vendor = await Vendor.start(plan);
  onTestFinished(() => vendor.close());
  return new VendorModel(vendor.url);
}

/** How long each of the others, one after the other, waits for the first token. */
async function timesToFirstToken(service: Service): Promise<number[]> {
  const times: number[] = [];
  for (let reader = 0; reader < readers; reader++) {
    const socket = await openSocket(service);
    const askedAt = performance.now();
    socket.write(requestBytes("/agents/brief/stream"));
    let text = "";
    while (!text.includes('"type":"text"')) text += String(await once(socket, "data"));
    times.push(performance.now() - askedAt);
    socket.destroy();
  }
  return times;
}

/** Has readers ask for an endless stream and stop reading after its first bytes. Gives back what ends them. */
async function stopReading({ service, path, endless }: Place): Promise<() => Promise<void>> {
  const sockets = Array.from({ length: readers }, () => connect({ path }));
  for (const socket of sockets) socket.write(requestBytes("/agents/endless/stream"));
  await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const socket of sockets) socket.pause();
  await settled(() => endless.readBytes);
  return async () => {
    // All are still there; what the others asked may be about to end.
    await vi.waitUntil(() => service.runs.size === readers, patience);
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
  const path = await alsoListenOnPath(service.server);
  await timesToFirstToken(service);

  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await timesToFirstToken(service)));
    const end = await stopReading({ service, path, endless });
    beside.push(...(await timesToFirstToken(service)));
    await end();
  }

  expect(median(beside) / median(alone)).toBeLessThan(1.5);
});
