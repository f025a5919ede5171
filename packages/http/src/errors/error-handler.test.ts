import { createLogger, TroupeError } from "@troupe/core";
import type { ErrorRequestHandler, Request } from "express";
import { watchErrorStream } from "@troupe-internal/interleavings";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { errorHandler } from "./error-handler.ts";

/** A logger that keeps its entries. */
function keeper() {
  const entries: unknown[] = [];
  const write = (line: string): void => void entries.push(JSON.parse(line));
  return { entries, logger: createLogger({ level: "debug", color: false, write }) };
}

/** Has a handler answer an error. */
function answer(handle: ErrorRequestHandler, error: unknown) {
  const response = new WrittenResponse();
  const next = vi.fn<() => void>();
  const request = { headers: { "x-request-id": "q1" }, complete: true } as unknown as Request;
  void handle(error, request, response.asResponse, next);
  return {
    next,
    status: response.status,
    headers: response.headers,
    json: JSON.parse(response.body) as unknown,
    ends: response.ends,
  };
}

const notFound = new TroupeError("not_found", "There is none.");
const answered = {
  status: 404,
  json: { error: { code: "not_found", message: "There is none.", requestId: "q1" } },
  ends: 1,
};

describe("errorHandler", () => {
  it("answers an error once when it is mounted as it is, each time, and passes nothing on", () => {
    for (let count = 0; count < 2; count++) {
      const { next, headers, ...rest } = answer(errorHandler, notFound);
      expect(rest).toEqual(answered);
      expect([next.mock.calls, headers["cache-control"]]).toEqual([[], "no-store"]);
    }
  });

  it.each([[undefined], [{}]])("makes a handler of four parameters of the options %j", (options) => {
    const handler = errorHandler(options);
    expect(handler).toHaveLength(4);
    expect(answer(handler, notFound)).toMatchObject(answered);
  });

  it("answers an error of undefined when it is mounted as it is, and logs it on the standard error stream", () => {
    const { lines, restore } = watchErrorStream();
    onTestFinished(restore);
    expect(answer(errorHandler, undefined)).toMatchObject({ status: 500, json: { error: { code: "internal" } } });
    expect(lines).toHaveLength(1);
  });

  it("logs what the operator must mend to its own logger, and nothing of the client's faults", () => {
    const { entries, logger } = keeper();
    const handler = errorHandler({ logger });
    expect(handler).toHaveLength(4);
    answer(handler, notFound);
    expect(entries).toEqual([]);
    expect(answer(handler, new Error("planned"))).toMatchObject({ status: 500, ends: 1 });
    expect(entries).toMatchObject([{ level: "error", requestId: "q1" }]);
  });

  it("refuses a logger that is none", () => {
    expect(() => errorHandler({ logger: 7 as never })).toThrow(/^logger must be a logger/);
  });

  it.each([[{ odd: 1 }], [7]])("refuses the options %j by its own name", (options) => {
    expect(() => errorHandler(options as object)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("errorHandler") as string }),
    );
  });
});
