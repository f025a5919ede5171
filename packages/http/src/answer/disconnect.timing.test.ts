import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "@troupe/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSocket, requestBytes } from "./test/clients.ts";
import { serve } from "./test/serve.ts";
import { Vendor, VendorModel } from "./test/vendor.ts";

const patience = { timeout: 10_000, interval: 2 };

async function serveVendor(everyMs: number) {
  const vendor = await Vendor.start({ pieces: 10_000, pieceBytes: 20, everyMs });
  onTestFinished(() => vendor.close());
  const service = await serve({ agent: new Agent({ name: "a", model: new VendorModel(vendor.url) }) });
  return { vendor, service };
}

/** How long it takes the vendor to hear that a client left. */
async function leave(mode: string, { vendor, service }: Awaited<ReturnType<typeof serveVendor>>): Promise<number> {
  const socket = await openSocket(service);
  const left = vendor.leftAt.length;
  socket.write(requestBytes(`/agents/a/${mode}`));
  await vi.waitUntil(() => vendor.answering === 1, patience);
  if (mode === "stream") await once(socket, "data");
  await sleep(Math.random() * 20);

  const startedAt = performance.now();
  socket.destroy();
  await vi.waitUntil(() => vendor.leftAt.length > left, patience);
  return (vendor.leftAt.at(-1) ?? Infinity) - startedAt;
}

describe("a client that leaves", () => {
  it.each(["run", "stream"])(
    "before the end of its %s is known to the vendor after 20 ms in the middle, and always after 250, over 50 trials",
    { timeout: 120_000 },
    async (mode) => {
      const place = await serveVendor(10);
      const times: number[] = [];
      for (let trial = 0; trial < 50; trial++) times.push(await leave(mode, place));
      times.sort((one, other) => one - other);

      expect(times[25]).toBeLessThanOrEqual(20);
      expect(times.at(-1)).toBeLessThanOrEqual(250);
      expect(place.service.runs.size).toBe(0);
    },
  );
});
