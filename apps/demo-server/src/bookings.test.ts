import { Agent, InMemoryStorage } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import type { RunContext, StorageDriver } from "@troupe/core";
import { OfflineModel } from "@troupe-internal/offline-model";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBookRoom } from "./bookings.ts";

const model = new OfflineModel({ wordMs: 0 });

/** Performs runs of an agent that books over this storage, in a process of its own as far as the runs know. */
async function serveBookings(storage: StorageDriver, hotel: StorageDriver = storage): Promise<RunService> {
  const concierge = new Agent({ name: "concierge", model, storage, tools: [createBookRoom(hotel)] });
  const runs = new RunService({ storage, agents: { concierge } });
  onTestFinished(async () => await runs.close());
  await runs.serve();
  return runs;
}

async function untilEnd(runs: RunService, runId: string): Promise<string> {
  for await (const { type } of runs.events(runId, "host")) if (type === "end") break;
  return ((await runs.get(runId, "host")).output as { text: string }).text;
}

async function untilWait(runs: RunService, runId: string): Promise<string> {
  for await (const event of runs.events(runId, "host")) if (event.type === "wait") return event.wait.id;
  throw new Error("The run has ended without a question.");
}

describe("the tool book_room", () => {
  it("finds the booking of a call that was cut off behind it, and books no second room", async () => {
    const storage = new InMemoryStorage();
    const booked = Promise.withResolvers<void>();
    const hotel = Object.assign(Object.create(storage) as InMemoryStorage, {
      set: async (...entry: Parameters<StorageDriver["set"]>) => {
        await storage.set(...entry);
        booked.resolve();
        await new Promise(() => undefined);
      },
    });
    const first = await serveBookings(storage, hotel);
    const { runId } = await first.accept({ kind: "agent", name: "concierge", input: "Book a room in Oslo." });
    await first.answer(runId, await untilWait(first, runId), { approved: true }, "host");
    await booked.promise;
    await first.close();

    const text = await untilEnd(await serveBookings(storage), runId);

    const rooms = (await storage.list("demo-bookings")).map(({ value }) => (value as { room: number }).room);
    expect(rooms).toHaveLength(1);
    expect(text).toContain(`Room ${rooms[0]} in Oslo is booked`);
  });

  it("asks for no approval in a city without a hotel", async () => {
    const { needsApproval } = createBookRoom(new InMemoryStorage());
    const context = {} as RunContext;

    expect(typeof needsApproval === "function" && needsApproval({ city: "Atlantis" }, context)).toBe(false);
    expect(typeof needsApproval === "function" && needsApproval({ city: "oslo" }, context)).toBe(true);
  });
});
