import { gzipSync } from "node:zlib";
import type { ServiceProblem } from "@troupe-internal/toolkit";
import type { FakeReply } from "./fake-service.ts";

const json = { "content-type": "application/json" };
const html = { "content-type": "text/html; charset=utf-8" };

/** A text of a service that no error may repeat. */
export const serviceWords = "Words-of-the-service-a1b2c3";

const body = JSON.stringify({
  error: { message: serviceWords },
  message: serviceWords,
  detail: { error: serviceWords },
});
const page = `<!DOCTYPE html><html><head><title>${serviceWords}</title></head><body><h1>${serviceWords}</h1></body></html>`;
const failed = (status: number, headers = {}): FakeReply => ({ status, headers: { ...json, ...headers }, body });
const broken = (kind: "cut" | "reset", afterBytes: number): FakeReply => ({
  headers: { ...json, "content-length": "4000" },
  body: `{"results": [${" ".repeat(3000)}`,
  delivery: { fault: { kind, at: { afterBytes } } },
});

/** Answers that every toolkit must report, whatever the request, each with the problem that its error names. */
export const uglyAnswers = {
  "status 400": { reply: failed(400), problem: "refused" },
  "status 401": { reply: failed(401), problem: "credential_refused" },
  "status 402": { reply: failed(402), problem: "quota_exceeded" },
  "status 403": { reply: failed(403), problem: "forbidden" },
  "a web page with status 403": { reply: { status: 403, headers: html, body: page }, problem: "forbidden" },
  "status 404": { reply: failed(404), problem: "not_found" },
  "status 418": { reply: failed(418), problem: "refused" },
  "status 429": { reply: failed(429), problem: "rate_limited" },
  "status 429 with a time to wait": { reply: failed(429, { "retry-after": "30" }), problem: "rate_limited" },
  "status 429 whose body breaks off": {
    reply: {
      ...broken("reset", 200),
      status: 429,
      headers: { ...json, "content-length": "4000", "retry-after": "30" },
    },
    problem: "rate_limited",
  },
  "status 500": { reply: failed(500), problem: "unavailable" },
  "a web page with status 502": { reply: { status: 502, headers: html, body: page }, problem: "unavailable" },
  "status 503 without a body": { reply: { status: 503 }, problem: "unavailable" },
  "a redirect": { reply: { status: 302, headers: { location: "http://127.0.0.1:9/" } }, problem: "redirected" },
  "a web page with status 200": { reply: { headers: html, body: page }, problem: "unreadable" },
  "an empty answer": { reply: { headers: json }, problem: "unreadable" },
  "white space": { reply: { headers: json, body: " \n " }, problem: "unreadable" },
  "JSON that is cut": { reply: { headers: json, body: body.slice(0, 20) }, problem: "unreadable" },
  "JSON of another form": { reply: { headers: json, body: '["no", 1, {}]' }, problem: "unreadable" },
  "a number": { reply: { headers: json, body: "12" }, problem: "unreadable" },
  "bytes that are no UTF-8": {
    reply: { headers: json, body: Buffer.from([0xff, 0xfe, 0x00, 0x9f]) },
    problem: "unreadable",
  },
  "a huge answer": { reply: { headers: json, body: Buffer.alloc(16_000_000, "[") }, problem: "too_large" },
  "a huge answer in gzip": {
    reply: { headers: { ...json, "content-encoding": "gzip" }, body: gzipSync(Buffer.alloc(16_000_000, "[")) },
    problem: "too_large",
  },
  "a reset before the answer": {
    reply: { delivery: { fault: { kind: "reset", at: "before-headers" } } },
    problem: "unreachable",
  },
  "a reset within the answer": { reply: broken("reset", 200), problem: "unreachable" },
  "a connection closed within the answer": { reply: broken("cut", 200), problem: "unreachable" },
} as const satisfies Record<string, { reply: FakeReply; problem: ServiceProblem }>;

/** The name of an answer that every toolkit must report. */
export type UglyAnswer = keyof typeof uglyAnswers;

/** Answers that never end, each of which a toolkit must abandon when its time is over. */
export const endlessAnswers: Readonly<Record<string, FakeReply>> = {
  "silence before the answer": { delivery: { fault: { kind: "hang", at: "before-headers" } } },
  "silence within the answer": {
    headers: json,
    body: " ".repeat(1000),
    delivery: { fault: { kind: "hang", at: { afterBytes: 100 } } },
  },
  "a slow drip": { headers: json, body: " ".repeat(5000), delivery: { pieceBytes: 1, pieceDelayMs: 10 } },
};
