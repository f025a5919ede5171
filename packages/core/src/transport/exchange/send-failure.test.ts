import { EventEmitter } from "node:events";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NodeExchange } from "./node-exchange.ts";
import { sendFailure } from "./send-failure.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A request whose body is still coming in. */
class HalfRequest extends EventEmitter {
  complete = false;
  readableDidRead = false;
  headers = {};
  resumes = 0;

  resume(): void {
    this.resumes += 1;
  }
}

/** A response that keeps what is done to it. */
class KeptResponse {
  headers: Record<string, unknown> = {};
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  status: number | undefined;
  text = "";

  getHeader(name: string): unknown {
    return name === "X-Request-Id" ? "q1" : this.headers[name];
  }
  setHeader(name: string, value: unknown): void {
    this.headers[name] = value;
  }
  removeHeader(name: string): void {
    delete this.headers[name];
  }
  writeHead(status: number, headers: object): void {
    this.status = status;
    Object.assign(this.headers, headers);
  }
  write(text: string): void {
    this.text += text;
  }
  end(text = ""): void {
    this.text += text;
    this.writableEnded = true;
  }
  destroy(): void {
    this.destroyed = true;
  }
}

function fail(error: unknown, given: { request?: Partial<HalfRequest>; response?: Partial<KeptResponse> } = {}) {
  const request = Object.assign(new HalfRequest(), given.request);
  const response = Object.assign(new KeptResponse(), given.response);
  const lines: string[] = [];
  const logger = createLogger({ level: "debug", color: false, write: (line) => void lines.push(line) });
  const exchange = new NodeExchange(request as never, response as never, logger);
  sendFailure(error, exchange, { runId: "r1" });
  return { request, response, lines };
}

const refusal = new TroupeError("payload_too_large", "Too long é.");
const body = '{"error":{"code":"payload_too_large","message":"Too long é.","requestId":"q1"}}';
const head = {
  "Content-Type": "application/json; charset=utf-8",
  "Content-Length": Buffer.byteLength(body),
  "Cache-Control": "no-store",
};

describe("a failure", () => {
  it("is sent in place of the content that would have come", () => {
    const headers = { "Content-Disposition": "a", "Content-Encoding": "b", "Content-Range": "c", ETag: "d" };
    const kept = { "X-Run-Id": "r1" };
    const response = { headers: { ...headers, "Last-Modified": "e", ...kept } };
    const sent = fail(new TroupeError("not_found", "None."), { request: { complete: true }, response }).response;

    const text = '{"error":{"code":"not_found","message":"None.","requestId":"q1"}}';
    expect(sent).toMatchObject({ status: 404, text, writableEnded: true, destroyed: false });
    expect(sent.headers).toEqual({ ...kept, ...head, "Content-Length": text.length });
  });

  it.each([
    [0, 0],
    [1, 1],
    [1000, 1],
    [1001, 2],
    [-1, undefined],
    ["5", undefined],
    [null, undefined],
  ])("a failure with retryAfterMs %j has Retry-After %j", (retryAfterMs, expected) => {
    const { response } = fail(new TroupeError("rate_limited", "Wait.", { fields: { retryAfterMs } }));

    expect(response.headers["Retry-After"]).toBe(expected);
  });

  it("leaves an answer that is over, and cuts one that has begun or has no reader", () => {
    const over = fail(refusal, { response: { writableEnded: true, headersSent: true } }).response;
    const begun = fail(refusal, { response: { headersSent: true } }).response;
    const left = fail(refusal, { response: { destroyed: true } }).response;

    expect([over.destroyed, begun.destroyed, left.destroyed]).toEqual([false, true, true]);
    expect([over.text, begun.text, left.text]).toEqual(["", "", ""]);
  });

  it("is logged with its run though the answer is over, and so is one that cannot be sent", () => {
    const over = fail(new Error("It broke."), { response: { writableEnded: true } });
    const setHeader = (): never => {
      throw new Error("No.");
    };
    const broken = fail(refusal, { response: { removeHeader: setHeader } });

    expect(over.lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ requestId: "q1", runId: "r1" }]);
    const [entry] = broken.lines.map((line) => JSON.parse(line) as unknown);
    expect(JSON.stringify(entry)).toContain("A failure could not be sent.");
    expect(entry).toMatchObject({ level: "error", requestId: "q1" });
    expect(broken.response.destroyed).toBe(true);
  });
});

describe("a failure while the body comes in", () => {
  it("is sent at once where it is too long, and ends with the body", () => {
    const { request, response } = fail(refusal);

    expect(response).toMatchObject({ status: 413, text: body, writableEnded: false });
    expect(response.headers).toEqual({ ...head, Connection: "close" });
    expect(request.resumes).toBe(1);
    request.emit("end");
    expect(response.writableEnded).toBe(true);
    expect([request.listenerCount("end"), request.listenerCount("close"), vi.getTimerCount()]).toEqual([0, 0, 0]);
  });

  it("ends after two seconds, or when the client leaves", () => {
    const slow = fail(refusal);
    vi.advanceTimersByTime(1999);
    expect(slow.response.writableEnded).toBe(false);
    vi.advanceTimersByTime(1);
    expect(slow.response.writableEnded).toBe(true);
    expect([slow.request.listenerCount("end"), slow.request.listenerCount("close")]).toEqual([0, 0]);

    const left = fail(refusal);
    left.request.emit("close");
    expect([left.response.writableEnded, vi.getTimerCount()]).toEqual([true, 0]);
  });

  it.each([
    [{ readableDidRead: true }, {}, false],
    [{}, { Connection: "close" }, false],
    [{}, {}, true],
    [{ readableDidRead: true, complete: true }, { Connection: "close" }, true],
  ])("is ended at once unless the body is half read or cut off: %j, %j", (request, headers, ended) => {
    const { response } = fail(new TroupeError("not_found", "None."), { request, response: { headers } });

    expect(response.writableEnded).toBe(ended);
  });

  it("is ended at once where a body that is too long came whole", () => {
    const { response, request } = fail(refusal, { request: { complete: true } });

    expect(response).toMatchObject({ text: body, writableEnded: true });
    expect(response.headers).toMatchObject({ Connection: "close" });
    expect(request.resumes).toBe(0);
  });
});
