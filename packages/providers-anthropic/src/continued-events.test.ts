import type { EventBatch, ModelChunk } from "@troupe/core/provider";
import { describe, expect, it } from "vitest";
import { ContinuedEvents } from "./continued-events.ts";
import { AnthropicEventReader } from "./from-events.ts";
import type { Request } from "./to-request.ts";
import type { WireEvent } from "./wire-types.ts";

const asked = { role: "user" as const, content: "Hello?" };
const request: Request = { version: "v", body: { model: "claude", max_tokens: 9, messages: [asked] } };
const pause = { type: "message_delta", delta: { stop_reason: "pause_turn", container: { id: "c" } } };
const over = [{ type: "message_delta", delta: { stop_reason: "end_turn" } }, { type: "message_stop" }];

function text(said: string): WireEvent {
  return { type: "content_block_start", index: 0, content_block: { type: "text", text: said } };
}

/** A vendor with these answers, which keeps the requests and counts the streams that were left. */
function vendorOf(...answers: WireEvent[][]) {
  const requests: Request[] = [];
  const left: number[] = [];
  const waits: Promise<void>[] = [];
  const leftBefore: number[] = [];
  const open = async (sent: Request): Promise<AsyncIterable<EventBatch<WireEvent>>> => {
    leftBefore.push(left.length);
    const number = requests.push(sent);
    await waits[number - 1];
    const events = answers[number - 1] ?? [];
    const batches = events.values();
    return {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          const { done, value } = batches.next();
          return done === true ? { done, value: undefined } : { value: [value] };
        },
        return: async () => {
          await new Promise(setImmediate);
          left.push(number);
          return { done: true, value: undefined };
        },
      }),
    };
  };
  return { requests, left, leftBefore, waits, open };
}

async function readAll(events: ContinuedEvents, reader: AnthropicEventReader): Promise<ModelChunk[]> {
  const chunks: ModelChunk[] = [];
  for (let step = await events.next(); step.done !== true; step = await events.next()) {
    for (const event of step.value) reader.read(event as WireEvent, chunks);
    if (reader.isComplete) return chunks;
  }
  return chunks;
}

async function readNext(events: ContinuedEvents, reader: AnthropicEventReader): Promise<void> {
  const step = await events.next();
  if (step.done !== true) for (const event of step.value) reader.read(event as WireEvent, []);
}

function makeReader(): AnthropicEventReader {
  return new AnthropicEventReader({ providerId: "anthropic", modelId: "claude" });
}

describe("the events of an answer", () => {
  it("are those of one request without a pause", async () => {
    const { open, requests, left } = vendorOf([text("Yes."), ...over]);
    const reader = makeReader();
    const chunks = await readAll(await ContinuedEvents.open(request, reader, open), reader);

    expect(chunks.map(({ type }) => type)).toEqual(["text", "finish"]);
    expect(requests).toEqual([request]);
    expect(left).toEqual([]);
  });

  it("go on after each pause, with all that came so far", async () => {
    const before = structuredClone(request);
    const { open, requests, left, leftBefore } = vendorOf(
      [text("One."), pause],
      [text("Two."), pause],
      [text("Three."), ...over],
    );
    const reader = makeReader();
    const events = await ContinuedEvents.open(request, reader, open);
    const chunks = await readAll(events, reader);
    const parts = ["One.", "Two."].map((said) => ({ type: "text", text: said }));
    const bodyWith = (count: number) => ({
      ...request.body,
      container: "c",
      messages: [asked, { role: "assistant", content: parts.slice(0, count) }],
    });

    expect(chunks.flatMap((chunk) => (chunk.type === "text" ? [chunk.text] : []))).toEqual(["One.", "Two.", "Three."]);
    expect(requests).toEqual([request, { version: "v", body: bodyWith(1) }, { version: "v", body: bodyWith(2) }]);
    expect(request).toEqual(before);
    expect([left, leftBefore]).toEqual([
      [1, 2],
      [0, 1, 2],
    ]);
    expect(events[Symbol.asyncIterator]()).toBe(events);
  });

  it("go on after a pause before any word as they were asked for", async () => {
    const { open, requests } = vendorOf([{ type: "message_delta", delta: { stop_reason: "pause_turn" } }], over);
    const reader = makeReader();
    await readAll(await ContinuedEvents.open(request, reader, open), reader);

    expect(requests).toStrictEqual([request, request]);
  });
});

describe("leaving the events", () => {
  it("ends the request of the part that is read, and asks for no other", async () => {
    const { open, requests, left } = vendorOf([text("One."), pause], [text("Two.")]);
    const reader = makeReader();
    const events = await ContinuedEvents.open(request, reader, open);
    for (let count = 0; count < 2; count += 1) await readNext(events, reader);

    expect(reader.isPaused).toBe(true);
    expect(await events.return()).toEqual({ done: true, value: undefined });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    expect(requests).toHaveLength(1);
    expect(left).toEqual([1]);
  });

  it("ends a part that was on its way", async () => {
    const { open, left, waits } = vendorOf([pause], [text("Two.")]);
    const reader = makeReader();
    const arrival = Promise.withResolvers<void>();
    waits[1] = arrival.promise;
    const events = await ContinuedEvents.open(request, reader, open);
    await readNext(events, reader);
    const next = events.next();
    await events.return();
    arrival.resolve();

    expect(await next).toEqual({ done: true, value: undefined });
    expect(left).toEqual([1, 1, 2]);
  });

  it("fails with the error of a part that is refused", async () => {
    const { open, waits } = vendorOf([pause]);
    const reader = makeReader();
    const events = await ContinuedEvents.open(request, reader, open);
    await readNext(events, reader);
    const refused = Promise.reject(new Error("Refused."));
    refused.catch(() => undefined);
    waits[1] = refused;

    await expect(events.next()).rejects.toThrow("Refused.");
  });
});
