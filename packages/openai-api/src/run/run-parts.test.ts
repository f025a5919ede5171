import type { ServedStoredRun } from "@troupe/core/transport";
import { expect, it } from "vitest";
import { askedCalls, readParts } from "./run-parts.ts";
import type { StoredPart } from "./run-parts.ts";

type Told = { readonly type: string; readonly [field: string]: unknown };

const attempt = (count: number): Told => ({ type: "attempt", attempt: count });
const text = (said: string): Told => ({ type: "chunk", chunk: { type: "text", text: said } });
/** A question about a call. Models without ids of their own begin to count anew in each round. */
const asked = (id: string, toolCallId: string, about: object): Told => ({
  type: "wait",
  wait: { id, toolCallId, kind: "approval", about },
});

/** Reads the parts of a run with these events. */
async function partsOf(...events: Told[]): Promise<StoredPart[]> {
  const storedEvents = async function* storedEvents() {
    for (const event of events) yield await Promise.resolve(event);
  };
  return await readParts({ service: { storedEvents } } as unknown as ServedStoredRun);
}

it("a run is divided where it was answered, in each round, and not where another process took it over", async () => {
  const first = [attempt(1), text("a"), attempt(2), text("ä"), asked("w1", "c", {}), asked("w2", "d", {})];
  const second = [attempt(3), asked("w3", "c", {})];
  const third = [attempt(4), text("b"), attempt(5)];

  expect(await partsOf(...first, ...second, ...third)).toEqual([
    { events: first, waitIds: ["w1", "w2"], attempts: 2 },
    { events: second, waitIds: ["w3"], attempts: 3 },
    { events: third, waitIds: [], attempts: 5 },
  ]);
  expect(await partsOf()).toEqual([{ events: [], waitIds: [], attempts: 0 }]);
});

it("a call whose id comes again in a later round is the later one", async () => {
  const parts = await partsOf(
    attempt(1),
    asked("w1", "call_0", { toolName: "pay", args: { amount: 1 } }),
    asked("w2", "call_1", { toolName: "send" }),
    attempt(2),
    asked("w3", "call_0", { toolName: "pay", args: { amount: 2 } }),
  );

  expect(Object.fromEntries(askedCalls(parts))).toEqual({
    call_0: { name: "pay", args: '{"amount":2}' },
    call_1: { name: "send", args: "{}" },
  });
  expect(Object.fromEntries(askedCalls(parts.slice(0, 1)))).toMatchObject({ call_0: { args: '{"amount":1}' } });
});
