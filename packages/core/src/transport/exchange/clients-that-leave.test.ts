import { WrittenResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it, vi } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { WebExchange } from "./web-exchange.ts";
import { exchangeOf } from "./test/exchange-of.ts";

/** Each kind of exchange, with the functions that let its client leave and receive the whole answer. */
const kinds = {
  "a request of Node": () => {
    const response = new WrittenResponse();
    const finish = async () => {
      Object.assign(response, { writableFinished: true });
      await Promise.resolve(response.emit("close"));
    };
    return { exchange: exchangeOf(response).exchange, leave: () => response.leave(), finish };
  },
  "a web-standard request": () => {
    const client = new AbortController();
    const request = new Request("http://own.example/", { signal: client.signal });
    const exchange = new WebExchange(request, createLogger());
    const finish = async () => {
      const closed = new Promise<void>((resolve) => void exchange.onClose(resolve));
      exchange.send(200, {}, "Grüß Gott.");
      await closed;
    };
    return { exchange, leave: () => client.abort(), finish };
  },
};

describe.each(Object.entries(kinds))("the leaving client of %s", (_name, make) => {
  const watch = ({ isGone = false } = {}) => {
    const { exchange, leave, finish } = make();
    const listener = vi.fn<() => void>();
    if (isGone) leave();
    const stop = exchange.onLeave(listener);
    return { leave, finish, listener, stop };
  };

  it("is noticed when it leaves, once", () => {
    const { leave, listener } = watch();
    expect(listener).not.toHaveBeenCalled();
    leave();
    leave();
    expect(listener).toHaveBeenCalledOnce();
  });

  it("is noticed at once if it has left before, and is not watched any more", () => {
    const { leave, listener, stop } = watch({ isGone: true });
    leave();
    stop();
    expect(listener).toHaveBeenCalledOnce();
  });

  it("is not noticed once it is not watched any more", () => {
    const { leave, listener, stop } = watch();
    stop();
    leave();
    expect(listener).not.toHaveBeenCalled();
  });

  it("is not noticed when it has the whole answer", async () => {
    const { finish, listener } = watch();
    await finish();
    expect(listener).not.toHaveBeenCalled();
  });
});
