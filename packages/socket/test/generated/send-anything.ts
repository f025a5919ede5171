import { assert, asyncProperty, array } from "fast-check";
import type { Socket } from "socket.io-client";
import { expect, onTestFinished, vi } from "vitest";
import type { ServedGateway, Transport } from "../serve-gateway.ts";
import { TestClient } from "../test-client.ts";
import { anyEvent, anyFrame } from "./any-payload.ts";
import type { AnyEvent } from "./any-payload.ts";

/** The answers to a client: the payloads of the events that answer a run. */
type Heard = { event: string; payload: Record<string, unknown> };

/** Milliseconds after which an answer cannot be late any more. */
const answerMs = 60_000;

const anyString = expect.any(String) as string;
const runEvents = new Set(["agent.run", "team.run"]);
const ends = new Set(["agent.done", "agent.error"]);
const ownEvents = new Set([...runEvents, "agent.cancel", "agent.attach", "agent.answer"]);

/** Sends generated events over a client of the library. Each must be answered by an error or a run that ends. */
export async function emitAnything(served: ServedGateway, transport: Transport, numRuns: number): Promise<Set<string>> {
  const socket = await served.connect({ transports: [transport] });
  const heard: Heard[] = [];
  socket.onAny((event: string, payload: Record<string, unknown>) => heard.push({ event, payload }));
  const outcomes = new Set<string>();
  const send = async (sent: AnyEvent): Promise<void> => {
    heard.length = 0;
    const outcome = await answerOrLoss(socket, sent, heard);
    if (outcome !== lost) return void outcomes.add(outcome);
    // A request of a polling client may fail by itself: an event that ends the connection does it again.
    socket.connect();
    await vi.waitUntil(() => socket.connected, { timeout: answerMs, interval: 10 });
    heard.length = 0;
    expect(await answerOrLoss(socket, sent, heard)).not.toBe(lost);
  };
  await assert(asyncProperty(anyEvent, send), { numRuns });
  return outcomes;
}

const lost = "lost";

/** Returns the answer to an event, or that the connection was lost. Rejects when neither comes for long. */
async function answerOrLoss(socket: Socket, sent: AnyEvent, heard: readonly Heard[]): Promise<string> {
  const { promise: loss, resolve, reject } = Promise.withResolvers<string>();
  const onLoss = (): void => resolve(lost);
  socket.once("disconnect", onLoss);
  const timer = setTimeout(() => reject(new Error(`There was no answer within ${answerMs} ms.`)), answerMs);
  try {
    return await Promise.race([answerOf(socket, sent, heard), loss]);
  } finally {
    clearTimeout(timer);
    socket.off("disconnect", onLoss);
  }
}

/** Returns the code of the error that answered the event, or "run" for a run that ended. */
async function answerOf(socket: Socket, sent: AnyEvent, heard: readonly Heard[]): Promise<string> {
  const { event, isAcknowledged } = sent;
  const acknowledged = emit(socket, sent);
  if (acknowledged === undefined) return "not sent";
  if (!ownEvents.has(event) || (!isAcknowledged && !runEvents.has(event))) return "not answered";
  if (isAcknowledged) {
    const answer = await acknowledged;
    if ("error" in answer) return codeOf(answer);
    if (!runEvents.has(event)) return "done";
    expect(answer).toEqual({ runId: anyString, sessionId: anyString });
  }
  return endOf(await vi.waitUntil(() => heard.find((each) => ends.has(each.event)), { timeout: 30_000, interval: 1 }));
}

/**
 * Emits an event. Resolves with its acknowledgement. Returns undefined for what the client itself cannot write: beside binary data
 * it copies objects, where a member `__proto__` becomes the prototype, and a date as prototype is no date.
 */
function emit(socket: Socket, { event, args, isAcknowledged }: AnyEvent): Promise<object> | undefined {
  const { promise, resolve } = Promise.withResolvers<object>();
  try {
    socket.emit(event, ...args, ...(isAcknowledged ? [resolve] : []));
    return promise;
  } catch (error) {
    if (error instanceof TypeError && error.message === "this is not a Date object.") return undefined;
    throw error;
  }
}

function endOf({ event, payload }: Heard): string {
  return event === "agent.done" ? "run" : codeOf(payload);
}

function codeOf(answer: object): string {
  const { error, code } = answer as { error: unknown; code: unknown };
  expect(error).toMatch(/\.$/);
  expect(code).toMatch(/^[a-z_]+$/);
  return String(code);
}

/** Sends generated frames over connections of their own. The gateway must answer others as before. */
export async function sendFrames(served: ServedGateway, numRuns: number): Promise<void> {
  const watcher = new TestClient(await served.connect());
  const send = async (frames: readonly (string | Uint8Array<ArrayBuffer>)[]): Promise<void> => {
    const raw = await RawSocket.open(served.url);
    for (const frame of frames) raw.send(frame);
    await raw.close();
    const { name } = await watcher.run({ name: "a", input: "Hello?" });
    expect(name).toBe("agent.done");
  };
  await assert(asyncProperty(array(anyFrame, { minLength: 1, maxLength: 20 }), send), { numRuns });
}

/** A WebSocket to the gateway that has joined its namespace. */
export class RawSocket {
  /** Texts received so far. */
  readonly texts: string[] = [];
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.texts.push(String(data)));
    onTestFinished(() => socket.close());
  }

  static async open(url: string): Promise<RawSocket> {
    const raw = new RawSocket(new WebSocket(`${url.replace("http", "ws")}/socket.io/?EIO=4&transport=websocket`));
    await vi.waitUntil(() => raw.texts.length > 0, { timeout: 30_000, interval: 1 });
    raw.send("40/service,");
    await vi.waitUntil(() => raw.texts.some((text) => text.startsWith("40/service,")), {
      timeout: 30_000,
      interval: 1,
    });
    return raw;
  }

  send(frame: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  /** Closes the connection once all that was sent has gone. */
  async close(): Promise<void> {
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const closed = new Promise((resolve) => this.#socket.addEventListener("close", resolve, { once: true }));
    this.#socket.close();
    await closed;
  }
}
