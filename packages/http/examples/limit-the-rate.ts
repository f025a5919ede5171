import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core/adapter";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import type { Request, RequestHandler } from "express";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

// Several processes share their counts in a RateLimiterRedis or RateLimiterPostgres, which is used in the same way.
const limiter = new RateLimiterMemory({ points: 2, duration: 60 });

/** Callers are told apart by the vendor key that they bring: by its hash, for the key itself is to be kept nowhere. */
function callerOf({ headers, ip }: Request): string {
  const key = keyHeaders.map((name) => headers[name]).find((value) => typeof value === "string");
  return key === undefined ? `address ${ip}` : `key ${createHash("sha256").update(key).digest("base64url")}`;
}

const limitRate: RequestHandler = async (request, _, next) => {
  // Only runs cost anything, and /health must always be answered.
  if (request.method !== "POST") return next();
  try {
    await limiter.consume(callerOf(request));
  } catch (refusal) {
    // Anything else is a failure of where the counts are kept.
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const fields = { retryAfterMs: refusal.msBeforeNext };
    throw new TroupeError("rate_limited", "You have asked too often: wait a moment.", { fields });
  }
  next();
};

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });
const server = createServer(express().use(createAgentRouter({ agents: { helper }, middleware: [limitRate] })));
await once(server.listen(0, "127.0.0.1"), "listening");
const { port } = server.address() as AddressInfo;

async function ask(key: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-openai-api-key": key },
    body: JSON.stringify({ input: "What should I take along to Oslo?" }),
  });
  const { text, error } = (await response.json()) as { text?: string; error?: { code: string; message: string } };
  const wait = response.headers.get("retry-after");
  console.log(`${response.status}: ${text ?? `${error?.code}: ${error?.message} Retry-After: ${wait}`}`);
}

for (const key of ["key-of-ada", "key-of-ada", "key-of-ada", "key-of-bo"]) await ask(key);
server.closeAllConnections();
server.close();
