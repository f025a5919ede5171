import { randomInt } from "node:crypto";
import { defineTool } from "@troupe/core";
import type { Json, StorageDriver, ToolDef } from "@troupe/core";
import { z } from "zod";
import { findCity, unknownCity } from "./cities.ts";

/** The storage namespace of the bookings. Their keys are the idempotency keys of the calls. */
const namespace = "demo-bookings";

/**
 * Creates the tool that books a room in the demo's hotel. Each booking in a known city needs an approval. After
 * a crash, `verify` shows the resumed run whether the room was booked, so it is never booked twice.
 */
export function createBookRoom(storage: StorageDriver): ToolDef {
  return defineTool({
    name: "book_room",
    description: "Books a room in a city for one night, in the demo's hotel. Each booking has to be approved.",
    parameters: z.strictObject({ city: z.string().min(1).describe("The city's name, like Oslo.") }),
    needsApproval: ({ city }) => findCity(city) !== undefined,
    effect: "once",
    execute: async ({ city: name }, { idempotencyKey }) => {
      const city = findCity(name);
      if (city === undefined) return unknownCity(name);
      const booking = { city: city.name, room: randomInt(100, 1000) };
      await storage.set(namespace, idempotencyKey, booking);
      return confirmationOf(booking);
    },
    verify: async (key) => {
      const booking = await storage.get(namespace, key);
      return booking === null ? null : { result: confirmationOf(booking) };
    },
  });
}

function confirmationOf(booking: Json): string {
  const { city, room } = booking as { city: string; room: number };
  return `Room ${room} in ${city} is booked, says the demo's hotel.`;
}
