import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import { lastChunks, textChunk, toolAnswer, wholeAnswer } from "../wire-samples.ts";
import { listen } from "./listen.ts";

/** A vendor without a model: answers at once, whole or in `BENCH_CHUNKS` pieces, at the least cost. */
const chunkCount = Number(process.env["BENCH_CHUNKS"] ?? 200);

const server = createServer((request, response) => {
  const body: Buffer[] = [];
  request.on("data", (bytes: Buffer) => body.push(bytes));
  request.on("end", () => {
    const asked = Buffer.concat(body);
    if (asked.includes('"stream":true')) stream(response);
    else answer(response, asked.includes('"tools":') && !asked.includes('"role":"tool"') ? toolAnswer : wholeAnswer);
  });
});

function answer(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
  response.end(bytes);
}

/** Writes one chunk per iteration of the event loop, so that they arrive one by one, as a model's do. */
function stream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  let sent = 0;
  const next = (): void => {
    if (response.destroyed) return;
    if (sent++ === chunkCount) return void response.end(lastChunks);
    if (response.write(textChunk)) setImmediate(next);
    else response.once("drain", next);
  };
  next();
}

listen(server);
