import assert from "node:assert/strict";
import type { PlannedReply } from "../planned-reply.ts";
import { assertHas, collect, errorOf } from "./provider-trial.ts";
import type { ProviderCases, ProviderTrial } from "./provider-trial.ts";

/** Cases of connections: how long they wait, when they close, and when they are kept open. */
export const connectionCases = {
  "gives a whole answer more time to begin than a stream may pause": async (trial) => {
    // Longer than the second within which a connection notices its timeout.
    const reply: PlannedReply = { answer: "Yes.", delivery: { delayMs: 2500 } };
    const call = { provider: { idleTimeoutMs: 50 } };
    const [whole, streamed] = await Promise.all([trial.whole(reply, call), trial.stream(reply, call)]);
    assert.equal(whole.error, undefined);
    assert.equal(whole.response?.text, "Yes.");
    assertHas(streamed.error, { code: "timeout", networkCode: "ETIMEDOUT" }, "the error of the stream");
  },
  "ends a whole answer that goes silent, and its socket": async (trial) => {
    for (const at of [{ afterBytes: 0 }, { afterBytes: 20 }]) {
      const reply: PlannedReply = { answer: "never heard", delivery: { fault: { kind: "hang", at } } };
      const { error, exchange } = await trial.whole(reply, { provider: { idleTimeoutMs: 100 } });
      assertHas(error, { code: "timeout", networkCode: "ETIMEDOUT" }, "the error");
      await trial.until(() => exchange?.end === "abandoned", "the vendor's request is abandoned");
    }
    await noSocketIsOpen(trial);
  },
  "waits for an answer whose bytes come slowly": async (trial) => {
    const reply: PlannedReply = { answer: "Yes.", delivery: { pieceBytes: 100, pieceDelayMs: 5 } };
    const { chunks, error } = await trial.stream(reply);
    assert.equal(error, undefined);
    assert.equal(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : "")).join(""), "Yes.");
  },
  "ends a call and its socket when its signal aborts, wherever its answer is": async (trial) => {
    for (const at of ["before-headers", { afterBytes: 0 }, { afterBytes: 20 }] as const) {
      const reply: PlannedReply = { answer: "never heard", delivery: { fault: { kind: "hang", at } } };
      const abort = new AbortController();
      const messages = [trial.ask(reply), trial.ask(reply)] as const;
      const options = { signal: abort.signal };
      const calls = [
        errorOf(trial.connect().generate(messages[0], options)),
        errorOf(collect(trial.connect().stream(messages[1], options))),
      ];
      await trial.until(
        () => messages.every((one) => trial.exchangeOf(one)?.end === "open"),
        "the vendor has both calls",
      );
      abort.abort();
      for (const error of await trial.within(Promise.all(calls))) assertHas(error, { code: "cancelled" }, "the error");
      await noSocketIsOpen(trial);
    }
    assert.ok(trial.vendor.exchanges.every(({ end }) => end === "abandoned"));
  },
  "ends the vendor's request and its socket when its reader leaves": async (trial) => {
    const messages = trial.ask({ answer: { text: ["one", "two", "three"] }, delivery: { pieceDelayMs: 50 } });
    for await (const chunk of trial.connect().stream(messages)) if (chunk.type === "text") break;
    await trial.until(() => trial.exchangeOf(messages)?.end === "abandoned", "the vendor's request is abandoned");
    await noSocketIsOpen(trial);
  },
  "gives nothing more of what has arrived once its signal has aborted": async (trial) => {
    const abort = new AbortController();
    // Sent in one piece, so that all of it has arrived before the signal aborts.
    const messages = trial.ask({ answer: { text: ["one", "two", "three"] }, delivery: { pieceBytes: 1_000_000 } });
    const texts: string[] = [];
    const read = async () => {
      for await (const chunk of trial.connect().stream(messages, { signal: abort.signal })) {
        if (chunk.type === "text") texts.push(chunk.text);
        if (chunk.type === "text") abort.abort();
      }
    };
    assertHas(await trial.within(errorOf(read())), { code: "cancelled" }, "the error");
    assert.equal(texts.length, 1);
  },
  "is done soon after the last event, though its vendor keeps the connection": async (trial) => {
    const { chunks, error } = await trial.stream(
      { answer: "Yes.", delivery: { fault: { kind: "hang", at: { afterBytes: Infinity } } } },
      { provider: { idleTimeoutMs: 10_000 } },
    );
    assert.equal(error, undefined);
    assertHas(chunks.at(-1), { type: "finish", finishReason: "stop" }, "the last chunk");
  },
} satisfies ProviderCases;

/** A case that runs alone: beside others, a socket may be free too late for the next call. */
export const lonelyConnectionCases = {
  "keeps its socket for the next call, also when the answer ends a moment after its last event": async (trial) => {
    const model = trial.connect();
    const isFree = async () => {
      await trial.until(() => trial.vendor.exchanges.every(({ end }) => end === "completed"), "the call is completed");
      // A socket is free a moment after its answer.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let call = 0; call < 5; call += 1) {
      await trial.within(collect(model.stream(trial.ask({ answer: "Yes.", delivery: { endDelayMs: 50 } }))));
      await isFree();
      await trial.within(model.generate(trial.ask({ answer: "Yes." })));
      await isFree();
    }
    assert.ok(trial.vendor.connectionCount <= 2, `${trial.vendor.connectionCount} connections for ten calls`);
  },
} satisfies ProviderCases;

async function noSocketIsOpen(trial: ProviderTrial): Promise<void> {
  await trial.until(() => trial.vendor.openConnections === 0, "no connection is open");
}
