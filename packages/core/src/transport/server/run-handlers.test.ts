import { WrittenResponse } from "@troupe-internal/fake-responses";
import { expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { exchangeOf } from "../exchange/test/exchange-of.ts";
import { runHandlers } from "./run-handlers.ts";

type Next = (error?: unknown) => void;
type Handler = (request: object, response: object, next: Next) => unknown;

/** Runs handlers for a request, and returns what has happened when nothing more does. */
async function run(handlers: readonly Handler[], end: () => void = () => {}) {
  const response = new WrittenResponse();
  const request = { of: "the test" };
  const { exchange } = exchangeOf(response);
  const [leave, done] = [vi.fn<() => void>(), vi.fn<() => void>(end)];
  const handled = { exchange, request: request as never, response: response.asResponse, leave };
  runHandlers(handlers, handled, done);
  const atOnce = done.mock.calls.length;
  for (let count = 0; count < 2; count++) await new Promise(setImmediate);
  return {
    request,
    response,
    atOnce,
    done: done.mock.calls,
    left: leave.mock.calls,
    status: response.status,
    code: response.body === "" ? undefined : (JSON.parse(response.body) as { error: { code: string } }).error.code,
  };
}

const failure = new TroupeError("forbidden", "No.");

it("runHandlers goes on at once without handlers", async () => {
  expect(await run([])).toMatchObject({ atOnce: 1, done: [[]], left: [], status: undefined });
});

it("runHandlers runs the handlers in their order with the request and the response, and then goes on once", async () => {
  const order: string[] = [];
  const seen: object[][] = [];
  const first: Handler = (request, response, next) => {
    seen.push([request, response]);
    order.push("first");
    setImmediate(next);
  };
  const second: Handler = async (request, response, next) => {
    seen.push([request, response]);
    order.push("second");
    await Promise.resolve();
    next();
  };
  const ended = run([first, second], () => order.push("end"));
  await vi.waitFor(() => expect(order).toEqual(["first", "second", "end"]));
  const { request, response, done, status } = await ended;

  for (const given of seen) expect([given[0] === request, given[1] === response]).toEqual([true, true]);
  expect([done, status]).toEqual([[[]], undefined]);
});

it.each([undefined, null, false, 0, "", "route"])(
  "runHandlers goes on where a handler calls next(%j), as Express does",
  async (value) => {
    const last = vi.fn<Handler>((_request, _response, next) => next());

    expect(await run([(_request, _response, next) => next(value), last])).toMatchObject({ done: [[]], left: [] });
    expect(last).toHaveBeenCalledOnce();
  },
);

it("runHandlers leaves the router where a handler calls next(router), without the handlers behind it", async () => {
  const last = vi.fn<Handler>();

  expect(await run([(_request, _response, next) => next("router"), last])).toMatchObject({
    done: [],
    left: [[]],
    status: undefined,
  });
  expect(last).not.toHaveBeenCalled();
});

it("runHandlers goes no further than a handler that answers by itself", async () => {
  const last = vi.fn<Handler>();
  const { done, left } = await run([() => "answered", last]);

  expect([done, left, last.mock.calls]).toEqual([[], [], []]);
});

it.each<[string, Handler]>([
  [
    "throws it",
    () => {
      throw failure;
    },
  ],
  ["rejects with it", async () => await Promise.reject(failure)],
  ["passes it to next", (_request, _response, next) => next(failure)],
  ["passes it to next later", (_request, _response, next) => setImmediate(next, failure)],
])("answers with the error of a handler that %s, and goes no further", async (_how, handler) => {
  const last = vi.fn<Handler>();
  const pass: Handler = (_request, _response, next) => next();
  const { status, code, done, left, response } = await run([pass, handler, last]);

  expect([status, code, done, left]).toEqual([403, "forbidden", [], []]);
  expect([last.mock.calls.length, response.ends]).toEqual([0, 1]);
});

it("runHandlers answers once with an error that is thrown behind the last handler", async () => {
  const pass: Handler = (_request, _response, next) => next();
  const { status, response } = await run([pass, pass], () => {
    throw failure;
  });

  expect([status, response.ends]).toEqual([403, 1]);
});
