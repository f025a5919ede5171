import { EventEmitter } from "node:events";
import { createLogger, TroupeError } from "@troupe/core";
import type { Response } from "express";
import { describe, expect, it } from "vitest";
import { sendFailure, sendJson, toFailureBody } from "./send-json.ts";

/** A response that notes what is sent. */
class NotedResponse extends EventEmitter {
  status = 0;
  headers: Record<string, unknown> = {};
  body: string | undefined;
  headersSent = false;
  destroyed = false;
  readonly #set: readonly string[];

  constructor(...set: string[]) {
    super();
    this.#set = set;
  }

  get asResponse(): Response {
    return this as unknown as Response;
  }

  hasHeader(name: string): boolean {
    return this.#set.includes(name);
  }

  writeHead(status: number, headers: Record<string, unknown>): void {
    Object.assign(this, { status, headers });
  }

  end(body: string): void {
    this.body = body;
  }

  destroy(): void {
    this.destroyed = true;
  }
}

/** Sends a failure, and returns the response and the logged lines. */
function fail(thrown: unknown, response = new NotedResponse()) {
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
  sendFailure(response.asResponse, thrown, logger);
  return { response, lines };
}

const problem = "Something went wrong in this service.";

describe("sendJson", () => {
  it("sends JSON that no cache keeps and no other site reads, with its length in bytes", () => {
    const response = new NotedResponse();
    sendJson(response.asResponse, 207, { word: "é€" });
    expect(response.status).toBe(207);
    expect(response.headers).toEqual({
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": 16,
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
    });
    expect(response.body).toBe('{"word":"é€"}');
  });
});

describe("sendFailure", () => {
  it.each([
    ["invalid_request", 400],
    ["unauthorized", 401],
    ["forbidden", 403],
    ["not_found", 404],
    ["gone", 410],
  ] as const)("answers %s with %i, and logs nothing", (code, status) => {
    const { response, lines } = fail(new TroupeError(code, "Not so."));
    expect(response.status).toBe(status);
    expect(response.body).toBe(JSON.stringify({ error: { code, message: "Not so." } }));
    expect(lines).toEqual([]);
  });

  it.each<[unknown, number, object]>([
    [new TroupeError("unavailable", "Not now."), 503, { code: "unavailable", message: "Not now." }],
    [
      new TroupeError("storage_unavailable", "db:5432"),
      503,
      { code: "storage_unavailable", message: "The storage cannot be used at the moment." },
    ],
    [
      new TroupeError("storage_corrupt", "row 7"),
      503,
      { code: "storage_corrupt", message: "What is stored cannot be read." },
    ],
    [new TroupeError("timeout", "Late."), 500, { code: "timeout", message: "Late." }],
    [new Error("at x"), 500, { code: "internal", message: problem }],
    ["at x", 500, { code: "internal", message: problem }],
  ])("answers %s with %i, and logs one warning", (thrown, status, error) => {
    const { response, lines } = fail(thrown);
    expect(response.status).toBe(status);
    expect(response.body).toBe(JSON.stringify({ error }));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ level: "warn", message: "A request to the inspector failed." });
  });

  it("logs what was thrown", () => {
    expect(fail(new Error("at x")).lines[0]).toContain("at x");
  });

  it("answers 405 where methods are allowed, and logs nothing", () => {
    const { response, lines } = fail(new TroupeError("invalid_request", "No."), new NotedResponse("Allow"));
    expect([response.status, lines]).toEqual([405, []]);
  });

  it.each(["headersSent", "destroyed"] as const)("cuts the connection where %s, and sends nothing", (field) => {
    const response = Object.assign(new NotedResponse(), { [field]: true });
    fail(new TroupeError("gone", "Gone."), response);
    expect([response.destroyed, response.status, response.body]).toEqual([true, 0, undefined]);
  });

  it("needs no logger", () => {
    const response = new NotedResponse();
    sendFailure(response.asResponse, new Error("at x"), undefined);
    expect(response.status).toBe(500);
  });
});

describe("toFailureBody", () => {
  it("has the fields that clients may see", () => {
    expect(toFailureBody(new TroupeError("rate_limited", "Slow.", { fields: { retryAfterMs: 5 } }))).toEqual({
      error: { code: "rate_limited", message: "Slow.", retryAfterMs: 5 },
    });
  });
});
