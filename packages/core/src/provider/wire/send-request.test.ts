import { getEventListeners } from "node:events";
import type { Dispatcher } from "undici";
import { describe, expect, it, vi } from "vitest";
import type { UndiciRequest } from "./connection-pool.ts";
import type { HttpRequest } from "./http-request.ts";
import { sendRequest, toNetworkError } from "./send-request.ts";

const withCode = (code: string, message = "It broke.", cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });

describe("the error of a request without a reply", () => {
  it.each(["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"])(
    "the error of a request without a reply by %s is a timeout",
    (code) => {
      const cause = withCode(code);
      expect(toNetworkError(cause)).toMatchObject({
        code: "timeout",
        message: "The server was silent for too long. The cause tells at what point.",
        cause,
      });
    },
  );

  it.each(["ECONNRESET", "ECONNREFUSED", "UND_ERR_SOCKET", "ETIMEDOUT", ""])(
    "the error of a request without a reply by %j is unavailable",
    (code) => {
      const cause = withCode(code);
      expect(toNetworkError(cause)).toMatchObject({
        code: "unavailable",
        message: "The connection to the server failed. The cause tells how.",
        cause,
      });
    },
  );

  it.each(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"])(
    "the error of a request without a reply by %s is one that cannot be sent, without its cause",
    (code) => {
      const error = toNetworkError(withCode(code, "invalid header sk-secret"));
      expect(error).toMatchObject({
        code: "invalid_request",
        message: "The HTTP request cannot be sent. Its method must be a token, and its headers printable text.",
      });
      expect(error.cause).toBeUndefined();
    },
  );

  it.each([
    [withCode("ECONNREFUSED"), true],
    [new Error("no code"), false],
    ["text", false],
    [undefined, false],
  ])("%# on the way to a proxy has what broke there as its cause, where that has a code: %s", (inner, isInner) => {
    const cause = withCode("UND_ERR_PRX_CONN", "proxy", inner);
    const error = toNetworkError(cause);
    expect(error).toMatchObject({
      code: "unavailable",
      message: "The connection to the proxy failed. The cause tells how.",
    });
    expect(error.cause).toBe(isInner ? inner : cause);
  });

  it.each([
    ["Proxy response (500) !== 200 when HTTP Tunneling", 500],
    ["Proxy response (502) !== 200 when HTTP Tunneling", 502],
    ["Something else", undefined],
    ["A Proxy response (403)", undefined],
  ])(
    "the error of a request without a reply by a proxy that could not reach the server, %j, is unavailable",
    (message, status) => {
      const cause = withCode("UND_ERR_ABORTED", message);
      const error = toNetworkError(cause);
      expect(error).toMatchObject({ code: "unavailable", message: "The proxy opened no connection to the server." });
      expect(error.cause).toMatchObject({ message: "The proxy could not reach the server.", cause });
      expect((error.cause as { status?: number }).status).toBe(status);
      expect("status" in (error.cause as object)).toBe(status !== undefined);
    },
  );

  it.each([
    [407, "Check the user and the password in the proxy's address."],
    [403, "Check its rules."],
    [499, "Check its rules."],
  ])(
    "the error of a request without a reply by a proxy that refused with %d does not help to try again",
    (status, mend) => {
      const cause = withCode("UND_ERR_ABORTED", `Proxy response (${status}) !== 200 when HTTP Tunneling`);
      expect(toNetworkError(cause)).toMatchObject({
        code: "model_failed",
        message: `The proxy refused the connection (status ${status}). ${mend}`,
        cause,
      });
    },
  );
});

/** A request over a connection that this test plays. */
function sent(more: Partial<HttpRequest> = {}) {
  const dispatched: { options: UndiciRequest; handler: Dispatcher.DispatchHandler }[] = [];
  const url = new URL("http://vendor.example:8080/a/b?c=d#e");
  const request = { url, method: "POST", headers: ["x-one", "1"], ...more };
  const reply = sendRequest(request, { dispatch: (options, handler) => dispatched.push({ options, handler }) });
  reply.catch(() => undefined);
  const connection = {
    abort: vi.fn<(reason: Error) => void>(),
    pause: vi.fn<() => void>(),
    resume: vi.fn<() => void>(),
    rawHeaders: ["raw"],
  };
  const controller = connection as unknown as Dispatcher.DispatchController;
  const [{ options, handler } = { options: undefined, handler: {} }] = dispatched;
  return {
    reply,
    dispatched,
    options,
    handler: handler as Required<Dispatcher.DispatchHandler>,
    connection,
    controller,
  };
}

describe("a request over a connection", () => {
  it("has its origin, path and query, method, headers and body, and no timeouts of its own", () => {
    expect(sent({ body: "hi" }).options).toStrictEqual({
      origin: "http://vendor.example:8080",
      path: "/a/b?c=d",
      method: "POST",
      headers: ["x-one", "1"],
      body: "hi",
      headersTimeout: null,
      bodyTimeout: null,
    });
    expect(sent({ headersTimeoutMs: 5, idleTimeoutMs: 0 }).options).toMatchObject({
      body: null,
      headersTimeout: 5,
      bodyTimeout: 0,
    });
  });

  it("gets the head of its reply, behind those that are interim, and then its bytes", async () => {
    const { reply, handler, connection, controller } = sent();
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 103, { early: "1" }, "");
    handler.onResponseStart(controller, 199, {}, "");
    expect(connection.rawHeaders).toEqual(["raw"]);
    handler.onResponseStart(controller, 200, { "x-two": ["2", "3"] }, "OK");
    expect(connection.rawHeaders).toBeNull();
    const { status, headers, body } = await reply;
    expect([status, headers]).toEqual([200, { "x-two": ["2", "3"] }]);
    handler.onResponseData(controller, Buffer.from("one"));
    handler.onResponseData(controller, Buffer.from("two"));
    handler.onResponseEnd(controller, {});
    expect(Buffer.concat(await Array.fromAsync(body)).toString()).toBe("onetwo");
    expect(connection.abort).not.toHaveBeenCalled();
  });

  it("rejects with its failure before the head, and fails the body after it", async () => {
    const before = sent();
    before.handler.onResponseError(before.controller, withCode("ECONNRESET"));
    await expect(before.reply).rejects.toMatchObject({ code: "unavailable" });
    const after = sent();
    after.handler.onResponseStart(after.controller, 200, {}, "");
    const { body } = await after.reply;
    after.handler.onResponseError(after.controller, withCode("UND_ERR_BODY_TIMEOUT"));
    await expect(body.next()).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("the signal of a request", () => {
  const reason = new Error("The user left.");

  it("the signal of a request that has aborted keeps it from being sent", async () => {
    const { reply, dispatched } = sent({ signal: AbortSignal.abort(reason) });
    await expect(reply).rejects.toBe(reason);
    expect(dispatched).toEqual([]);
  });

  it("ends the wait for the head with its own reason, and closes the connection with another", async () => {
    const abort = new AbortController();
    const { reply, handler, connection, controller } = sent({ signal: abort.signal });
    handler.onRequestStart(controller, {});
    abort.abort(reason);
    await expect(reply).rejects.toBe(reason);
    expect(connection.abort).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ message: "The request was aborted." }),
    );
  });

  it("ends the wait for a connection at once, which is closed when it comes", async () => {
    const abort = new AbortController();
    const { reply, handler, connection, controller } = sent({ signal: abort.signal });
    abort.abort(reason);
    await expect(reply).rejects.toBe(reason);
    handler.onRequestStart(controller, {});
    expect(connection.abort).toHaveBeenCalledOnce();
  });

  it("ends the body with its reason, which the closed connection does not replace", async () => {
    const abort = new AbortController();
    const { reply, handler, connection, controller } = sent({ signal: abort.signal });
    handler.onRequestStart(controller, {});
    handler.onResponseStart(controller, 200, {}, "");
    const { body } = await reply;
    const next = body.next();
    abort.abort(reason);
    const [closed = new Error("none")] = connection.abort.mock.calls[0] ?? [];
    handler.onResponseError(controller, closed);
    await expect(next).rejects.toBe(reason);
    await expect(body.next()).rejects.toBe(reason);
  });

  it.each(["onResponseEnd", "onResponseError"] as const)("is let go with %s", (end) => {
    const abort = new AbortController();
    const { handler, controller } = sent({ signal: abort.signal });
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
    handler.onResponseStart(controller, 200, {}, "");
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(1);
    if (end === "onResponseEnd") handler.onResponseEnd(controller, {});
    else handler.onResponseError(controller, withCode("ECONNRESET"));
    expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  });
});
