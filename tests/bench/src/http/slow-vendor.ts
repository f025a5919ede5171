import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { lastChunks, textChunk } from "../wire-samples.ts";
import { listen } from "../servers/listen.ts";

/** A vendor with long streams: a piece at once, and one more each `BENCH_EVERY_MS`. It reports how many it is writing. */
const everyMs = Number(process.env["BENCH_EVERY_MS"] ?? 1000);
const chunkCount = Number(process.env["BENCH_CHUNKS"] ?? 1000);
const open = new Set<ServerResponse>();
const whenEmpty: (() => void)[] = [];

const server = createServer((request, response) => {
  request.resume();
  open.add(response);
  let sent = 1;
  const timer = setInterval(() => {
    if (sent++ < chunkCount) response.write(textChunk);
    else response.end(lastChunks);
  }, everyMs);
  response.once("close", () => {
    clearInterval(timer);
    open.delete(response);
    if (open.size === 0) for (const tell of whenEmpty.splice(0)) tell();
  });
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(textChunk);
});

/** An order of the measurement: report the number of streams, or the moment when the last one has ended. */
export type VendorOrder = { count: true } | { whenEmpty: true };
/** The number of open streams, and the moment of the count. */
export type VendorAnswer = { open: number; atMs: number };

process.on("message", (order: VendorOrder) => {
  const answer = () => void process.send?.({ open: open.size, atMs: Date.now() } satisfies VendorAnswer);
  if ("whenEmpty" in order && open.size > 0) whenEmpty.push(answer);
  else answer();
});
listen(server, { backlog: 8192 });
