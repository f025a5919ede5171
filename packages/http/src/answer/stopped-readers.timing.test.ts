import { once } from "node:events";
import { connect } from "node:net";
import { settled, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import type { VendorPlan } from "@troupe-internal/fault-tools";
import { Agent } from "@troupe/core";
import { expect, it, onTestFinished, vi } from "vitest";
import { openSocket, requestBytes } from "../../test/clients.ts";
import { alsoListenOnPath } from "../../test/listen-on-path.ts";
import { serve } from "../../test/serve-agent.ts";
import type { Service } from "../../test/serve-agent.ts";

const readers = 50;
const rounds = 6;
/** The number of passes in each round, with and without the stopped readers. */
const passes = 3;
const patience = { timeout: 15_000, interval: 20 };

type Place = { service: Service; path: string; endless: VendorModel };

async function startModel(plan: VendorPlan): Promise<VendorModel> {
  const vendor = await Vendor.start(plan);
  onTestFinished(() => vendor.close());
  return new VendorModel(vendor.url);
}

/** Returns the median time to the first token of the other readers, in the quietest pass. */
async function timeToFirstToken(service: Service): Promise<number> {
  const medians: number[] = [];
  for (let pass = 0; pass < passes; pass++) {
    const times: number[] = [];
    for (let reader = 0; reader < readers; reader++) times.push(await askForToken(service));
    medians.push(times.toSorted((one, other) => one - other)[readers / 2] ?? Infinity);
  }
  return Math.min(...medians);
}

async function askForToken(service: Service): Promise<number> {
  const socket = await openSocket(service);
  const askedAt = performance.now();
  socket.write(requestBytes("/agents/brief/stream"));
  let text = "";
  while (!text.includes('"type":"text"')) text += String(await once(socket, "data"));
  const tookMs = performance.now() - askedAt;
  socket.destroy();
  return tookMs;
}

/** Opens endless streams and stops reading them after the first bytes. Returns a function that ends them. */
async function stopReading({ service, path, endless }: Place): Promise<() => Promise<void>> {
  const sockets = Array.from({ length: readers }, () => connect({ path }));
  for (const socket of sockets) socket.write(requestBytes("/agents/endless/stream"));
  await Promise.all(sockets.map((socket) => once(socket, "data")));
  for (const socket of sockets) socket.pause();
  await settled(() => endless.readBytes);
  return async () => {
    // The runs of the other readers may still be ending.
    await vi.waitUntil(() => service.runs.size === readers, patience);
    for (const socket of sockets) socket.destroy();
    await vi.waitUntil(() => service.runs.size === 0, patience);
  };
}

it(`${readers} readers that have stopped reading do not delay the first token of others`, async () => {
  const endless = await startModel({ pieces: 65_536, pieceBytes: 16_384 });
  const brief = await startModel({ pieces: 3, pieceBytes: 20 });
  const agents = {
    endless: new Agent({ name: "endless", model: endless }),
    brief: new Agent({ name: "brief", model: brief }),
  };
  const service = await serve({ agents });
  const path = await alsoListenOnPath(service.server);

  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    alone.push(await timeToFirstToken(service));
    const end = await stopReading({ service, path, endless });
    beside.push(await timeToFirstToken(service));
    await end();
  }

  // Other load only adds to a time: the quietest round counts.
  expect(Math.min(...beside) / Math.min(...alone)).toBeLessThan(2);
});
