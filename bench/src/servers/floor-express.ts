import { createServer } from "node:http";
import express from "express";
import { Pool } from "undici";
import { listen, vendorUrl } from "./listen.ts";
import { FrameRelay, toOutput, toVendorRequest } from "./relay.ts";

/** Floor E: express 5, relaying by hand with a pooled client. */
const vendor = new Pool(vendorUrl(), { connections: 128 });
const app = express().use(express.json());

async function ask(body: unknown, stream: boolean) {
  const { input } = body as { input: string };
  return await vendor.request({
    path: "/v1/chat/completions",
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer none" },
    body: JSON.stringify(toVendorRequest(input, stream)),
  });
}

app.post("/agents/:name/run", async (request, response) => {
  const answer = await ask(request.body, false);
  response.json(toOutput((await answer.body.json()) as Parameters<typeof toOutput>[0]));
});

app.post("/agents/:name/stream", async (request, response) => {
  const answer = await ask(request.body, true);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const relay = new FrameRelay();
  for await (const bytes of answer.body) response.write(relay.next(bytes as Buffer));
  response.end();
});

listen(createServer(app));
