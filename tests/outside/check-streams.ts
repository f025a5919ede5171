import { connect } from "node:net";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { posted } from "./probe.ts";
import type { Probe } from "./probe.ts";

/** Reads a stream until its text has a mark, and leaves it. */
async function readUntil(answer: Response, mark: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const bytes of answer.body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes(mark)) break;
  }
  return text;
}

/** Returns the frames of a stream behind the one with an id. */
const behind = (stream: string, id: string): string =>
  stream.slice(stream.indexOf("\n\n", stream.indexOf(`id: ${id}\n`)));

/** Streams that are resumed: a durable one, and a plain one with an idempotency key, cut in their middle. */
export async function checkResumed(probe: Probe): Promise<void> {
  for (const [agent, own] of [
    ["d", {}],
    ["a", { "idempotency-key": `key-${probe.url}` }],
  ] as const) {
    probe.vendor.answerWith(30, 10);
    const begun = await probe.open(`/agents/${agent}/stream`, posted({ input: "Hi" }, own));
    const runId = begun.headers.get("x-run-id") ?? "";
    const first = await readUntil(begun, '"type":"text"');
    const ids = [...first.matchAll(/^id: (.+)$/gm)].map(([, id = ""]) => id);
    const last = ids.at(-1) ?? "";
    const rest = await probe.ask(`/runs/${runId}/events`, { headers: { "last-event-id": last } });
    const whole = await probe.ask(`/runs/${runId}/events`);
    probe.expect(
      rest.status === 200 && rest.text.includes('"type":"finish"'),
      `${agent}: a resumed stream: ${rest.status} ${rest.text.slice(0, 150)}`,
    );
    const [resumed, expected] = [rest.text, behind(whole.text, last)].map(
      (text) => text.match(/"text":"word /g)?.length,
    );
    probe.expect(
      last !== "" && resumed === expected,
      `${agent}: a resumed stream has ${resumed} words, not ${expected}`,
    );
  }
  probe.vendor.answerWith(3);
}

/** Leaves ten streams in their middle, and returns the median of the milliseconds until the model's call was aborted. */
export async function checkDisconnects(probe: Probe): Promise<number> {
  probe.vendor.answerWith(1000, 5);
  const taken: number[] = [];
  for (let count = 0; count < 10; count++) {
    const left = new AbortController();
    const aborted = Promise.withResolvers<void>();
    probe.vendor.onAbort = aborted.resolve;
    const stream = await probe.open("/agents/a/stream", { ...posted({ input: "Hi" }), signal: left.signal });
    await stream.body?.getReader().read();
    const start = performance.now();
    left.abort();
    const isInTime = await Promise.race([aborted.promise.then(() => true), sleep(5000, false, { ref: false })]);
    probe.expect(isInTime, "a client that leaves does not end the model's call");
    if (isInTime) taken.push(performance.now() - start);
  }
  probe.vendor.answerWith(3);
  const sorted = taken.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(sorted.length / 2)] ?? Number.NaN) * 10) / 10;
}

/** More than the buffers of the system take between a vendor and a reader. */
const longBytes = 200_000_000;

/** A reader that stops stops the vendor. Returns the megabytes that had passed by then. */
export async function checkSlowReader(probe: Probe): Promise<number> {
  probe.vendor.answerWith(longBytes / 5);
  const before = probe.vendor.sentBytes;
  const socket = openStopped(probe.url);
  const passed = (await untilQuiet(probe)) - before;
  probe.expect(passed < longBytes, `a reader that stops does not stop the vendor: ${passed} bytes passed`);
  const aborted = Promise.withResolvers<void>();
  probe.vendor.onAbort = aborted.resolve;
  socket.destroy();
  const isInTime = await Promise.race([aborted.promise.then(() => true), sleep(5000, false, { ref: false })]);
  probe.expect(isInTime, "a reader that stops and leaves does not end the model's call");
  probe.vendor.answerWith(3);
  return Math.round(passed / 1e6);
}

/** Returns the port and the text of a request for a stream of the agent `s`, which stores nothing. */
export function requestOfStream(url: string): { port: string; text: string } {
  const { port, pathname } = new URL(`${url}/agents/s/stream`);
  const body = '{"input":"Hi"}';
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "X-Test-User: ada",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return { port, text: `${lines.join("\r\n")}\r\n\r\n${body}` };
}

/** Opens a stream whose reader takes nothing of it. */
function openStopped(url: string): Socket {
  const { port, text } = requestOfStream(url);
  const socket = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  socket.write(text);
  return socket.pause();
}

/** Waits until the vendor sends nothing more, and returns what it has sent until then. */
export async function untilQuiet({ vendor }: Pick<Probe, "vendor">): Promise<number> {
  for (let sent = -1; sent !== vendor.sentBytes; await sleep(2000)) sent = vendor.sentBytes;
  return vendor.sentBytes;
}

/** The end of the service: a stream ends as one that is cut short, and what comes later is refused. */
export async function checkShutdown(probe: Probe): Promise<void> {
  probe.vendor.answerWith(5000, 20);
  const streams = await Promise.all([1, 2, 3].map(() => probe.open("/agents/a/stream", posted({ input: "Hi" }))));
  const texts = streams.map(
    async (stream) => await stream.text().catch((error: unknown) => `cut off: ${String(error)}`),
  );
  await sleep(100);
  const end = await probe.ask("/end", { method: "POST" });
  probe.expect(end.status === 204, `the end: ${end.status} ${end.text.slice(0, 150)}`);
  const ended = await Promise.race([Promise.all(texts), sleep(20_000, [], { ref: false })]);
  probe.expect(ended.length === texts.length, "a stream goes on after the end of the service");
  for (const text of ended)
    probe.expect(/"type":"(?:error|finish)"/.test(text), `a stream without an end: ${text.slice(-150)}`);
  const late = await probe.post("/agents/a/run", { input: "Hi" });
  probe.expectError(late, 503, "a run after the end");
  probe.vendor.answerWith(3);
}
