import { EventEmitter } from "node:events";
import { countedCaller, ownerKey } from "@troupe/core/transport";
import type { CallerKey } from "@troupe/core/transport";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { it, vi } from "vitest";
import { ConnectionBuffer } from "./connection-buffer.ts";
import type { Connection, DropReason } from "./connection-buffer.ts";
import { SendBudget } from "./send-budget.ts";

it("the bytes held for clients count as long as they are held, for their caller, and runs wait for room and no longer, in any order [async.interleavings]", async () => {
  await checkInterleavings(sendToClients, {
    seed: 38_206,
    numRuns: 50,
    maxSteps: 40,
    stepMs: 16_000,
    quietMs: 62_000,
  });
});

it("bytes beyond a limit by one cost a connection, and those at it cost none, in any order [async.interleavings]", async () => {
  await checkInterleavings(sendAtLimits, { seed: 38_207, numRuns: 60, maxSteps: 40, quietMs: 31_000 });
});

const nobody = countedCaller({}).key;
const ada = ownerKey({ userId: "ada" });
const bob = ownerKey({ userId: "bob" });
const callers = [nobody, ada, bob];
const highWaterBytes = 65_536;
const stallMs = 30_000;
/** The bytes that a connection may hold beside its largest packet. */
const mostOfOne = 100_000;

/** A text of a size in bytes, two for each character but the last. */
function textOf(bytes: number): string {
  return "é".repeat(Math.floor(bytes / 2)) + "e".repeat(bytes % 2);
}

/** A connection as Engine.IO has it: it hands its packets to the transport once the client has read those before. */
class Wire extends EventEmitter {
  readonly transport = new EventEmitter();
  readonly buffer: ConnectionBuffer;
  readonly #held: HeldCalls;
  caller: CallerKey;
  /** The caller whose the bytes are. */
  counted: CallerKey;
  isOpen = true;
  /** The sizes of the packets that wait, and of those that the client has not read. */
  waiting: number[] = [];
  reading: number[] = [];
  largest = 0;
  movedAtMs = performance.now();

  constructor(held: HeldCalls, budget: SendBudget, caller: CallerKey) {
    super();
    this.#held = held;
    this.caller = this.counted = caller;
    const onOverflow = (bytes: number, reason: DropReason): void => {
      held.check(bytes > 0, "a connection is given up for which nothing is held");
      held.check(reason !== "stalled" || this.idleMs >= stallMs, "a client that reads is given up");
      this.lose();
    };
    const options = { maxBytes: mostOfOne, budget, callerOf: () => this.caller, onOverflow };
    this.buffer = new ConnectionBuffer(this as unknown as Connection, options);
  }

  get bytes(): number {
    return [...this.waiting, ...this.reading].reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Milliseconds for which the client has read nothing of what it was sent. */
  get idleMs(): number {
    return this.bytes === 0 ? 0 : performance.now() - this.movedAtMs;
  }

  /** The number of functions that listen to the connection. */
  get listening(): number {
    return this.eventNames().reduce((sum, name) => sum + this.listenerCount(name), 0);
  }

  send(bytes: number): void {
    if (!this.isOpen) return;
    if (this.bytes === 0) {
      this.counted = this.caller;
      this.movedAtMs = performance.now();
    }
    this.waiting.push(bytes);
    this.largest = Math.max(this.largest, bytes);
    this.emit("packetCreate", { data: textOf(bytes) });
    if (this.reading.length === 0) this.#flush();
  }

  lose(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    [this.waiting, this.reading] = [[], []];
    this.emit("close");
  }

  #flush(): void {
    if (this.waiting.length === 0 || !this.isOpen) return;
    [this.reading, this.waiting] = [this.waiting, []];
    this.emit("flush");
    void this.#read();
  }

  /** Waits until the client has read what it was sent, or breaks off. */
  async #read(): Promise<void> {
    try {
      await this.#held.hold("a client", () => undefined);
    } catch {
      return this.lose();
    }
    if (!this.isOpen) return;
    this.reading = [];
    if (this.bytes === 0) this.largest = 0;
    this.movedAtMs = performance.now();
    this.transport.emit("drain");
    this.#flush();
  }
}

/** The connections of three callers to one gateway. */
class Gateway {
  readonly budget: SendBudget;
  readonly wires: Wire[];
  readonly #held: HeldCalls;
  readonly #most: number;

  constructor(held: HeldCalls, most: number) {
    this.#held = held;
    this.#most = most;
    this.budget = new SendBudget(most);
    this.wires = [nobody, nobody, ada, bob].map((caller) => new Wire(held, this.budget, caller));
  }

  /** The connections that are open, each as its client knows it. */
  get open(): Wire[] {
    return this.wires.filter(({ isOpen }) => isOpen);
  }

  /** Sends as a run does: when there is room. */
  async run(index: number, bytes: number): Promise<void> {
    const wire = this.wires[index];
    if (wire === undefined) return;
    while (!wire.buffer.hasRoom) await wire.buffer.untilRoom(() => bytes);
    wire.send(bytes);
  }

  /** Another user signs in on a connection. */
  signIn(index: number): void {
    const wire = this.wires[index];
    if (wire !== undefined) wire.caller = callers[(callers.indexOf(wire.caller) + 1) % callers.length] ?? nobody;
  }

  /** Opens a connection in the place of one that is lost. */
  reopen(): void {
    const index = this.wires.findIndex(({ isOpen }) => !isOpen);
    const lost = this.wires[index];
    if (lost === undefined) return;
    this.#held.check(lost.listening === 0, "something listens to a lost connection");
    this.wires[index] = new Wire(this.#held, this.budget, lost.caller);
  }

  /** Compares what is counted with what the clients have not read. */
  check(): void {
    const total = sumOf(this.wires);
    this.#held.check(this.budget.heldBytes === total, `${this.budget.heldBytes} bytes count of ${total}`);
    this.#held.check(total <= this.#most, "more is held than may be");
    for (const caller of callers) this.#checkRoom(caller, total);
    for (const { buffer, bytes } of this.wires) this.#held.check(buffer.heldBytes === bytes, "a connection miscounts");
    for (const { bytes, largest, idleMs } of this.open) {
      this.#held.check(bytes - largest <= mostOfOne, "a connection holds more than one may");
      this.#held.check(idleMs < 2 * stallMs, "a client that has stopped reading is there");
    }
  }

  /** Checks that nothing counts any more, by what callers may hold who come anew. */
  async checkEmpty(): Promise<void> {
    this.check();
    this.#held.check(this.budget.heldBytes === 0, "bytes count that nothing holds");
    for (const wire of this.wires) wire.lose();
    this.#checkShares(nobody, ada);
    this.#checkShares(ada, nobody);
    this.#held.check(!this.wires.some(({ listening }) => listening > 0), "something listens to a lost connection");
    // The budget looks once more.
    await vi.advanceTimersByTimeAsync(1000);
  }

  #checkRoom(caller: CallerKey, total: number): void {
    const holding = this.open.filter(({ bytes }) => bytes > 0);
    const own = sumOf(holding.filter(({ counted }) => counted === caller));
    const half = this.#most / 2;
    const isFull = total > half && own >= half / new Set(holding.map(({ counted }) => counted)).size;
    this.#held.check(this.budget.hasRoom(caller) === !isFull, `room for one who has ${own} of ${total} bytes`);
  }

  #checkShares(more: CallerKey, fewer: CallerKey): void {
    const half = this.#most / 2;
    const wires = [more, fewer].map((caller) => new Wire(this.#held, this.budget, caller));
    wires.forEach((wire, index) => wire.send([0.6 * half, 0.45 * half][index] ?? 0));
    const hasRoom = [more, fewer].map((caller) => this.budget.hasRoom(caller));
    this.#held.check(hasRoom.join() === "false,true", `shares of callers who are gone count: ${hasRoom.join()}`);
    for (const wire of wires) wire.lose();
  }
}

function sumOf(wires: readonly Wire[]): number {
  return wires.reduce((sum, { bytes }) => sum + bytes, 0);
}

function sendToClients(held: HeldCalls): Scene {
  const gateway = new Gateway(held, 300_000);
  return {
    operations: {
      "a short event for nobody": async () => await gateway.run(0, 11),
      "an event for nobody": async () => await gateway.run(0, 40_001),
      "an event for nobody's other client": async () => await gateway.run(1, highWaterBytes),
      "a long event for nobody's other client": async () => await gateway.run(1, highWaterBytes + 1),
      "an event for Ada": async () => await gateway.run(2, 40_001),
      "a long event for Ada": async () => await gateway.run(2, highWaterBytes + 1),
      "an event for Bob": async () => await gateway.run(3, 40_001),
      "another signs in": () => gateway.signIn(0),
      "another signs in elsewhere": () => gateway.signIn(2),
      "a client comes back": () => gateway.reopen(),
      "a connection is lost": () => gateway.open.at(-1)?.lose(),
    },
    always: () => gateway.check(),
    end: () => gateway.open.at(-1)?.lose(),
    again: async () => await gateway.run(0, 11),
    afterwards: async () => await gateway.checkEmpty(),
  };
}

function sendAtLimits(held: HeldCalls): Scene {
  const most = 200_000;
  const gateway = new Gateway(held, most);
  /** Sends what waits for no room, as answers and errors do. */
  const send = (index: number, bytes: number): void => {
    const wire = gateway.wires[index];
    if (wire?.isOpen !== true) return;
    const isOver =
      wire.bytes + bytes - Math.max(wire.largest, bytes) > mostOfOne || sumOf(gateway.wires) + bytes > most;
    const there = gateway.open.length;
    wire.send(bytes);
    // One that is sent to goes with the next tick, any other at once.
    const isOneLost = gateway.open.filter((each) => each.buffer.heldBytes === each.bytes).length < there;
    held.check(
      isOver === isOneLost,
      isOver ? "more is held than may be" : "a connection is given up within the limits",
    );
  };
  return {
    operations: {
      "half of what one may hold": () => send(0, mostOfOne / 2),
      "half for another": () => send(1, mostOfOne / 2),
      "half for Ada": () => send(2, mostOfOne / 2),
      "one byte less": () => send(0, mostOfOne / 2 - 1),
      "one byte more": () => send(1, mostOfOne / 2 + 1),
      "a large answer": () => send(0, mostOfOne - 10_001),
      "a byte beyond what one may hold": () => {
        for (const bytes of [mostOfOne / 2, mostOfOne / 2, mostOfOne / 2, 1]) send(0, bytes);
      },
      "one byte": () => send(0, 1),
      "one byte for Ada": () => send(2, 1),
      "a client comes back": () => gateway.reopen(),
    },
    always: () => gateway.check(),
    afterwards: async () => await gateway.checkEmpty(),
  };
}
