import { createServer } from "node:http";
import express from "express";
import { Pool } from "undici";
import { answerHeld } from "./held.ts";
import { listen, vendorUrl } from "./listen.ts";
import { FrameRelay, toOutput, toToolRequest, toVendorRequest } from "./relay.ts";
import type { VendorAnswer } from "./relay.ts";

/** Baseline E: express 5, relaying by hand with a pooled client. */
const vendor = new Pool(vendorUrl(), { connections: 128 });
const app = express().use(express.json());

async function ask(request: object) {
  return await vendor.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify(request),
  });
}

function inputOf(body: unknown): string {
  return (body as { input: string }).input;
}

app.post("/agents/tool/run", async (request, response) => {
  const input = inputOf(request.body);
  const first = (await (await ask(toToolRequest(input))).body.json()) as VendorAnswer;
  const answer = await ask(toToolRequest(input, first));
  response.json(toOutput((await answer.body.json()) as VendorAnswer));
});

app.post("/agents/:name/run", async (request, response) => {
  const answer = await ask(toVendorRequest(inputOf(request.body), false));
  response.json(toOutput((await answer.body.json()) as VendorAnswer));
});

app.post("/agents/:name/stream", async (request, response) => {
  const answer = await ask(toVendorRequest(inputOf(request.body), true));
  response.writeHead(200, { "content-type": "text/event-stream" });
  const relay = new FrameRelay();
  for await (const bytes of answer.body) response.write(relay.next(bytes as Buffer));
  response.end();
});

const server = createServer(app);
answerHeld(server);
listen(server);
