import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom, Vendor, VendorModel } from "@troupe-internal/fault-tools";
import { Agent } from "@troupe/core";
import type { RequestHandler } from "express";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSocket, requestBytes } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";

const patience = { timeout: 10_000, interval: 2 };
const random = seededRandom(1);

/** Reads the address, as hosts do that log it or limit the rate by it. */
const askForAddress: RequestHandler = (request, _, next) => {
  expect(request.ip).toBeDefined();
  next();
};

async function serveVendor(everyMs: number, middleware: RequestHandler[]) {
  const vendor = await Vendor.start({ pieces: 10_000, pieceBytes: 20, everyMs });
  onTestFinished(() => vendor.close());
  const agents = { a: new Agent({ name: "a", model: new VendorModel(vendor.url) }) };
  const service = await serve({ agents, middleware });
  return { vendor, service };
}

/** Disconnects a client and returns the milliseconds until its vendor's call is aborted. */
async function leave(mode: string, { vendor, service }: Awaited<ReturnType<typeof serveVendor>>): Promise<number> {
  const socket = await openSocket(service);
  const left = vendor.leftAt.length;
  socket.write(requestBytes(`/agents/a/${mode}`));
  await vi.waitUntil(() => vendor.answering === 1, patience);
  if (mode === "stream") await once(socket, "data");
  await sleep(random() * 20);

  const startedAt = performance.now();
  socket.destroy();
  await vi.waitUntil(() => vendor.leftAt.length > left, patience);
  return (vendor.leftAt.at(-1) ?? Infinity) - startedAt;
}

describe("a client that disconnects", () => {
  it.each([
    ["run", "a plain host", []],
    ["stream", "a plain host", []],
    ["run", "a host that looks at addresses", [askForAddress]],
    ["stream", "a host that looks at addresses", [askForAddress]],
  ])(
    "aborts the vendor's call before the end of its %s at %s within 20 ms in the median and 250 ms at most, over 50 trials",
    async (mode, _, middleware) => {
      const place = await serveVendor(10, middleware);
      const times: number[] = [];
      for (let trial = 0; trial < 50; trial++) times.push(await leave(mode, place));
      times.sort((one, other) => one - other);

      expect(times[25]).toBeLessThanOrEqual(20);
      expect(times.at(-1)).toBeLessThanOrEqual(250);
      expect(place.service.runs.size).toBe(0);
    },
  );
});
