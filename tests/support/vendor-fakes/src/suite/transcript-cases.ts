import assert from "node:assert/strict";
import { isRetryable } from "@troupe/core";
import type { ModelChunk } from "@troupe/core/provider";
import { cutInPieces } from "../delivery.ts";
import type { Delivery, Fault } from "../delivery.ts";
import type { VendorReply } from "../dialect.ts";
import type { PlannedReply } from "../planned-reply.ts";
import { readTranscript, transcriptNames } from "../transcripts.ts";
import type { ProviderSubject, RecordedAnswer } from "./provider-subject.ts";
import { assertHas } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial, StreamOutcome } from "./provider-trial.ts";

const deliveries: Readonly<Record<string, Delivery>> = {
  "as it was recorded": {},
  "in pieces of 64 bytes": { pieceBytes: 64 },
  slowly: { pieceBytes: 400, pieceDelayMs: 5 },
};

/** Sizes of the smallest pieces. They are sent without a socket, where each would cost a turn of the event loop. */
const smallest = [1, 2, 3, 7];

const lost = { name: "ModelError", code: "model_failed", networkCode: "ECONNRESET" };
const silent = { name: "ModelError", code: "timeout", networkCode: "ETIMEDOUT" };

/** Returns the cases for the recorded answers of a vendor. */
export function transcriptCases({ transcripts, transcriptPattern }: ProviderSubject): ProviderCases {
  const reads = Object.entries(transcripts).map(([name, expected]) => {
    const check = async (trial: ProviderTrial) => await readsTranscript(trial, name, expected);
    return [`reads the recorded answer ${name}, however it arrives`, check] as const;
  });
  return {
    ...Object.fromEntries(reads),
    "fails on every recorded answer whose connection is closed or reset": async (trial) =>
      await failsOnEach(trial, ["cut", "reset"]),
    "fails on every recorded answer whose connection goes silent": async (trial) => await failsOnEach(trial, ["hang"]),
    ...(transcriptPattern && {
      "knows every recorded answer of its vendor": () => {
        const recorded = transcriptNames().filter((name) => transcriptPattern.test(name));
        assert.deepEqual(Object.keys(transcripts).toSorted(), recorded);
      },
    }),
  };
}

async function readsTranscript(trial: ProviderTrial, transcript: string, expected: RecordedAnswer): Promise<void> {
  const reply = replyOf(transcript, expected);
  const check = (how: string, { chunks, error }: Pick<StreamOutcome, "chunks" | "error">) => {
    assert.deepEqual(chunks.map(toPlain(chunks)), expected.chunks, how);
    assertMetrics(chunks);
    if (expected.details !== undefined) assertHas(chunks.at(-1), expected.details, "the last chunk");
    if (expected.error === undefined) assert.equal(error, undefined, how);
    else {
      assertHas(error, expected.error, `the error, ${how}`);
      assert.ok(isRetryable(error), `the error can be retried, ${how}`);
    }
  };
  const read = async ([how, delivery]: [string, Delivery]) => {
    const outcome = await trial.stream({ ...reply, delivery });
    check(how, outcome);
    const ends = expected.error === undefined ? ["completed"] : ["completed", "abandoned"];
    await trial.until(() => ends.includes(outcome.exchange?.end ?? ""), `the vendor's request is ${ends.join(" or ")}`);
  };
  await Promise.all(Object.entries(deliveries).map(read));
  for (const bytes of smallest) {
    const fetch = async () => inPieces(reply.raw, bytes);
    check(`in pieces of ${bytes} bytes`, await trial.stream(reply, { provider: { fetch } }));
  }
  assert.equal(trial.vendor.exchanges.length, Object.keys(deliveries).length, "a request went by another way");
}

/** Makes a response whose body arrives in pieces of `bytes` bytes. */
function inPieces({ status, headers, frames }: VendorReply, bytes: number): Response {
  const pieces = cutInPieces(frames, { pieceBytes: bytes, lastByte: Infinity }).values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = pieces.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
  return new Response(body, { status, headers });
}

/** Returns a function that makes chunks comparable: as JSON, with numbers instead of the provider's own ids. */
function toPlain(chunks: readonly ModelChunk[]): (chunk: ModelChunk) => object {
  const own = new Map<string, string>();
  for (const chunk of chunks) {
    const id = chunk.type === "tool_call_start" ? chunk.toolCall.id : "";
    if (/^(?:call_)?[0-9a-f-]{32,36}$/.test(id)) own.set(id, `own-${own.size + 1}`);
  }
  return (chunk) => {
    const { responseId: _, model: __, vendorState: ___, ...shown } = chunk as Record<string, unknown>;
    return JSON.parse(JSON.stringify(shown), (name, value: unknown) => {
      if (name === "providerMetrics") return undefined;
      return typeof value === "string" ? (own.get(value) ?? value) : value;
    }) as object;
  };
}

/** Asserts that every usage has the vendor's own object. */
function assertMetrics(chunks: readonly ModelChunk[]): void {
  const finish = chunks.find((chunk) => chunk.type === "finish");
  if (finish?.usage !== undefined && finish.usage.totalTokens > 0)
    assert.ok(Object.keys(finish.usage.providerMetrics ?? {}).length > 0, "usage without providerMetrics");
}

async function failsOnEach(trial: ProviderTrial, kinds: readonly Fault["kind"][]): Promise<void> {
  const calls = Object.entries(trial.subject.transcripts).flatMap(([transcript, expected]) => {
    const reply = replyOf(transcript, expected);
    return kinds.flatMap((kind) => placesOf(reply, kind).map((at) => ({ transcript, reply, fault: { kind, at } })));
  });
  const fail = async ({ transcript, reply, fault }: { transcript: string; reply: PlannedReply; fault: Fault }) => {
    const isSilent = fault.kind === "hang";
    // Short only if the case tests silence, because a busy machine may be silent for longer.
    const provider = { idleTimeoutMs: isSilent ? 100 : 60_000 };
    const { chunks, error, exchange } = await trial.stream({ ...reply, delivery: { fault } }, { provider });
    assertHas(error, isSilent ? silent : lost, `the error of ${transcript}, ${JSON.stringify(fault)}`);
    // A short timeout may be over before the request arrives.
    if (isSilent && exchange !== undefined)
      await trial.until(() => exchange.end === "abandoned", "the vendor's silent request is abandoned");
    assert.ok(!chunks.some(({ type }) => type === "finish"), `${transcript} finishes, ${JSON.stringify(fault)}`);
  };
  await Promise.all(calls.map(fail));
}

function replyOf(transcript: string, { recorded }: RecordedAnswer): { raw: VendorReply } {
  if (recorded === undefined) return { raw: readTranscript(transcript) };
  const type = typeof recorded === "string" ? "text/event-stream" : "application/vnd.amazon.eventstream";
  return { raw: { status: 200, headers: { "content-type": type }, frames: [recorded] } };
}

/** Returns the places of a fault: before and after the head, within the first event, and in the middle. */
function placesOf({ raw }: { raw: VendorReply }, kind: Fault["kind"]): Fault["at"][] {
  const bytes = raw.frames.reduce((sum, frame) => sum + frame.length, 0);
  const within = [{ afterBytes: 20 }, { afterBytes: Math.floor(bytes / 2) }];
  return kind === "hang" ? ["before-headers", { afterBytes: 0 }, ...within] : within;
}
