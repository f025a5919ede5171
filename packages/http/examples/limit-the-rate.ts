import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Agent, TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createAgentRouter } from "@troupe/http";
import express from "express";
import type { Request, RequestHandler } from "express";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

const helper = new Agent({ name: "helper", model: new ScriptedModel().respond(() => "Take an umbrella.") });

// #region readme
// For several processes: RateLimiterRedis or RateLimiterPostgres.
const limiter = new RateLimiterMemory({ points: 2, duration: 60 });

/** Identifies a caller by the hash of the vendor key that it brings, or by its address. */
function callerOf({ headers, ip }: Request): string {
  const key = keyHeaders.map((name) => headers[name]).find((value) => typeof value === "string");
  return key === undefined ? `address ${ip}` : `key ${createHash("sha256").update(key).digest("base64url")}`;
}

const limitRate: RequestHandler = async (request, _response, next) => {
  // Only runs cost anything.
  if (request.method !== "POST") return next();
  try {
    await limiter.consume(callerOf(request));
  } catch (refusal) {
    // Anything else is a failure of the store that keeps the counts.
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    const fields = { retryAfterMs: refusal.msBeforeNext };
    throw new TroupeError("rate_limited", "Too many requests. Wait a moment.", { fields });
  }
  next();
};

const app = express().use(createAgentRouter({ agents: { helper }, middleware: [limitRate] }));
// #endregion

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

async function statusFor(key: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/agents/helper/run`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-openai-api-key": key },
    body: JSON.stringify({ input: "What should I take along to Oslo?" }),
  });
  if (response.status === 429) assert.equal(response.headers.get("retry-after"), "60");
  return response.status;
}

const statuses: number[] = [];
for (const key of ["key-of-ada", "key-of-ada", "key-of-ada", "key-of-bo"]) statuses.push(await statusFor(key));
assert.deepEqual(statuses, [200, 200, 429, 200]);
server.closeAllConnections();
server.close();
