import { createServer } from "node:http";
import { pooledFetch } from "@troupe-internal/vendor-fakes";
import express from "express";
import OpenAI from "openai";
import { listen, vendorUrl } from "./listen.ts";
import { FrameRelay, toOutput, toToolRequest, toVendorRequest } from "./relay.ts";
import type { VendorAnswer } from "./relay.ts";

/** Baseline ES: as E, but through the vendor's library, with raw replies over core's pooled fetch. */
const vendor = new OpenAI({
  apiKey: "none",
  baseURL: `${vendorUrl()}/v1`,
  maxRetries: 0,
  fetch: pooledFetch(),
});
const app = express().use(express.json());

function inputOf(body: unknown): string {
  return (body as { input: string }).input;
}

app.post("/agents/tool/run", async (request, response) => {
  const input = inputOf(request.body);
  const ask = async (body: ReturnType<typeof toToolRequest>) => {
    return (await (await vendor.chat.completions.create(body).asResponse()).json()) as VendorAnswer;
  };
  response.json(toOutput(await ask(toToolRequest(input, await ask(toToolRequest(input))))));
});

app.post("/agents/:name/run", async (request, response) => {
  const answer = await vendor.chat.completions.create(toVendorRequest(inputOf(request.body), false)).asResponse();
  response.json(toOutput((await answer.json()) as VendorAnswer));
});

app.post("/agents/:name/stream", async (request, response) => {
  const answer = await vendor.chat.completions.create(toVendorRequest(inputOf(request.body), true)).asResponse();
  response.writeHead(200, { "content-type": "text/event-stream" });
  const relay = new FrameRelay();
  for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) response.write(relay.next(bytes));
  response.end();
});

listen(createServer(app));
