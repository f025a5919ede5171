import { EventEmitter } from "node:events";
import { createLogger, TroupeError } from "@troupe/core";
import type { Socket } from "socket.io";
import { describe, expect, it, vi } from "vitest";
import type { SocketMiddleware } from "./gateway-options.ts";
import { guardConnection } from "./guard-connection.ts";

/** Runs a middleware for a connection; `refusals` has undefined for one that is let in. */
function guard(middleware: SocketMiddleware) {
  const conn = new EventEmitter();
  const error = vi.fn<(message: string, fields?: unknown) => void>();
  const refusals: (Error | undefined)[] = [];
  const logger = { ...createLogger(), error };
  const socket = { conn } as unknown as Socket;
  guardConnection(middleware, { name: "authMiddleware", logger })(socket, (refusal) => refusals.push(refusal));
  return { conn, error, refusals, listening: () => conn.listenerCount("close") };
}

const settled = async () => await new Promise((resolve) => setImmediate(resolve));
const failure = new Error("secret");
const internal = { message: "Something went wrong in this service.", data: { code: "internal" } };

describe("a connection that is guarded", () => {
  it.each<[string, SocketMiddleware]>([
    ["at once", (_, next) => next()],
    [
      "later",
      async (_, next) => {
        await Promise.resolve();
        next();
      },
    ],
    [
      "twice",
      (_, next) => {
        next();
        next(failure);
      },
    ],
    [
      "before it throws",
      (_, next) => {
        next();
        throw failure;
      },
    ],
  ])("is let in once by a middleware that calls next %s", async (_, middleware) => {
    const { refusals, listening } = guard(middleware);
    await settled();
    expect([refusals, listening()]).toEqual([[undefined], 0]);
  });

  it("is given to the middleware, and let in by nothing else", async () => {
    const middleware = vi.fn<SocketMiddleware>();
    const { conn, refusals, listening } = guard(middleware);
    await settled();
    expect(middleware.mock.calls[0]?.[0].conn).toBe(conn);
    expect([refusals, listening()]).toEqual([[], 1]);
  });

  it.each<[string, SocketMiddleware]>([
    [
      "throws",
      () => {
        throw failure;
      },
    ],
    ["rejects", async () => await Promise.reject(failure)],
  ])("is refused without the reason by one that %s, and the log has it", async (_, middleware) => {
    const { refusals, error, listening } = guard(middleware);
    await settled();
    expect(refusals).toMatchObject([internal]);
    expect(error.mock.calls).toEqual([["authMiddleware failed.", { error: failure }]]);
    expect(listening()).toBe(0);
  });

  it("is refused with the host's own error", () => {
    const own = Object.assign(new Error("Sign in first."), { data: { retry: false } });
    const { refusals, error } = guard((_, next) => next(own));
    expect([refusals[0] === own, refusals.length, error.mock.calls.length]).toEqual([true, 1, 0]);
  });

  it.each<[string, (refusal: Error) => SocketMiddleware]>([
    [
      "throws",
      (refusal) => () => {
        throw refusal;
      },
    ],
    ["hands on", (refusal) => (_, next) => next(refusal)],
  ])(
    "is refused with the code and fields of an error of ours that it %s, without a line in the log",
    async (_, make) => {
      const refusal = new TroupeError("forbidden", "Not you.", { fields: { plan: "free" } });
      const { refusals, error } = guard(make(refusal));
      await settled();
      expect(refusals.map((each) => [each?.message, { ...(each as object) }])).toEqual([
        ["Not you.", { data: { code: "forbidden", plan: "free" } }],
      ]);
      expect(error).not.toHaveBeenCalled();
      expect(guard((_socket, next) => next(new TroupeError("internal", "secret"))).refusals).toMatchObject([internal]);
    },
  );

  it("a connection that is guarded that closes meanwhile is refused, and what comes later is passed over", async () => {
    let decide: (error?: Error) => void = () => {};
    const { conn, refusals, listening } = guard((_, next) => void (decide = next));
    conn.emit("close");
    conn.emit("close");
    decide();
    await settled();
    expect(refusals.map((each) => each?.message)).toEqual(["The connection was closed."]);
    expect(listening()).toBe(0);
  });
});
