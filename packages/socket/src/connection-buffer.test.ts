import { EventEmitter } from "node:events";
import { countedCaller, ownerKey } from "@troupe/core/transport";
import type { CallerKey } from "@troupe/core/transport";
import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { ConnectionBuffer } from "./connection-buffer.ts";
import type { Connection, DropReason } from "./connection-buffer.ts";
import { SendBudget } from "./send-budget.ts";
import type { ByteHolder } from "./send-budget.ts";

const callers = [countedCaller({}).key, ownerKey({ userId: "ada" }), ownerKey({ userId: "ada", tenantId: "t" })];

/** A budget that also keeps the sum of what was counted for each caller. */
class NotedBudget extends SendBudget {
  readonly held = new Map<CallerKey, number>();

  override change(holder: ByteHolder, bytes: number, caller = holder.caller): void {
    this.held.set(caller, (this.held.get(caller) ?? 0) + bytes);
    super.change(holder, bytes, caller);
  }
}

/** A connection whose packets go out when the test says so, and whose user may change. */
class Wire extends EventEmitter {
  readonly transport: EventEmitter;
  readonly buffer: ConnectionBuffer;
  readonly drops: DropReason[] = [];
  caller = callers[0] as CallerKey;

  constructor(budget: SendBudget, transport: object = {}) {
    super();
    this.transport = Object.assign(new EventEmitter(), transport);
    this.buffer = new ConnectionBuffer(this as unknown as Connection, {
      maxBytes: 1_000_000,
      budget,
      callerOf: () => this.caller,
      onOverflow: (_bytes, reason) => void this.drops.push(reason),
    });
    onTestFinished(this.buffer.release);
  }

  send(data: string): void {
    this.emit("packetCreate", { data });
  }
}

const step = fc.record({
  index: fc.nat(2),
  what: fc.constantFrom("packet", "packet", "flush", "drain", "close", "sign in"),
  caller: fc.constantFrom(...callers),
  text: fc.string({ unit: "binary", maxLength: 20 }),
});

type Step = typeof step extends fc.Arbitrary<infer Each> ? Each : never;

function apply(wire: Wire | undefined, { what, caller, text }: Step): void {
  if (what === "packet") wire?.send(text);
  else if (what === "drain") wire?.transport.emit("drain");
  else if (what === "sign in") Object.assign(wire ?? {}, { caller });
  else wire?.emit(what);
}

/** Compares what a budget has counted for each caller with what the connections hold for it. */
function expectCounted(budget: NotedBudget, wires: readonly Wire[]): void {
  const buffers = wires.map(({ buffer }) => buffer).filter(({ heldBytes }) => heldBytes > 0);
  const heldOf = (caller: CallerKey) =>
    buffers.reduce((sum, each) => sum + (each.caller === caller ? each.heldBytes : 0), 0);
  expect(callers.map((caller) => budget.held.get(caller) ?? 0)).toEqual(callers.map(heldOf));
}

describe("the bytes of connections", () => {
  it("count for one caller until they are gone, whoever signs in meanwhile, and leave nothing [socket.stopped-reader]", () => {
    const check = (steps: readonly Step[]): void => {
      const budget = new NotedBudget(1_000_000);
      const wires = [new Wire(budget), new Wire(budget), new Wire(budget)];
      for (const each of steps) {
        apply(wires[each.index], each);
        expectCounted(budget, wires);
      }
      for (const wire of wires) wire.emit("flush");
      for (const wire of wires) wire.transport.emit("drain");
      expect([budget.heldBytes, ...wires.map(({ buffer }) => buffer.heldBytes)]).toEqual([0, 0, 0, 0]);
      expectCounted(budget, wires);
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 30 }), check));
  });
});

describe("a connection that takes nothing", () => {
  it.each([
    { which: "that polls", transport: { res: null }, looks: 1, left: 0 },
    { which: "over an idle WebSocket", transport: { socket: {} }, looks: 1, left: 0 },
    { which: "whose WebSocket has packets", transport: { socket: { bufferedAmount: 70 } }, looks: 2, left: 70 },
    {
      which: "whose system has",
      transport: { socket: { _socket: { _handle: { writeQueueSize: 9 } } } },
      looks: 2,
      left: 9,
    },
  ])(
    "is given up, $which, when no look at it shows less than the last [socket.stopped-reader]",
    async ({ transport, looks, left }) => {
      vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
      onTestFinished(() => void vi.useRealTimers());
      const wire = new Wire(new SendBudget(1_000_000), transport);
      wire.send("x".repeat(100));
      wire.emit("flush");

      expect(wire.buffer.leftBytes).toBe(left);
      vi.advanceTimersByTime(looks * 30_000 - 1);
      expect(wire.buffer.heldBytes).toBe(100);
      vi.advanceTimersByTime(1);
      expect(wire.buffer.heldBytes).toBe(0);
      await new Promise((resolve) => process.nextTick(resolve));
      expect(wire.drops).toEqual(["stalled"]);
    },
  );
});
