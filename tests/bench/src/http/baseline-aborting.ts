import { createServer } from "node:http";
import express from "express";
import { Pool } from "undici";
import { answerHeld } from "../servers/held.ts";
import { listen, vendorUrl } from "../servers/listen.ts";
import { FrameRelay, toVendorRequest } from "../servers/relay.ts";

/** Baseline E that also aborts the vendor's stream when its client disconnects. */
const vendor = new Pool(vendorUrl());
const app = express().use(express.json());

app.post("/agents/:name/stream", async (request, response) => {
  const abort = new AbortController();
  response.once("close", () => abort.abort());
  try {
    const { input } = request.body as { input: string };
    const answer = await vendor.request({
      path: "/v1/chat/completions",
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer none" },
      body: JSON.stringify(toVendorRequest(input, true)),
      signal: abort.signal,
    });
    response.writeHead(200, { "content-type": "text/event-stream" });
    const relay = new FrameRelay();
    for await (const bytes of answer.body) response.write(relay.next(bytes as Buffer));
    response.end();
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  }
});

const server = createServer(app);
answerHeld(server);
listen(server, { backlog: 8192 });
