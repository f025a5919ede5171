import { FakeResponse } from "@troupe-internal/fake-responses";
import { describe, expect, it } from "vitest";
import { createLogger } from "../../base/log/logger.ts";
import { NodeExchange } from "./node-exchange.ts";

const exchangeOf = (request: object): NodeExchange =>
  new NodeExchange({ headers: {}, ...request } as never, new FakeResponse().asResponse, createLogger());

describe("NodeExchange", () => {
  it.each([
    [{ "content-length": "0" }, false],
    [{}, false],
    [{ "content-length": "2" }, true],
    [{ "transfer-encoding": "chunked" }, true],
  ])("knows by the headers %j whether the request has a body", (headers, expected) => {
    expect(exchangeOf({ headers }).hasBody).toBe(expected);
  });

  it.each([
    [{ url: "/a/b?c=d" }, ["/a/b", "?c=d", ""]],
    [{ url: "/a?b?c" }, ["/a", "?b?c", ""]],
    [{ url: "/a#b" }, ["/a", "", ""]],
    [{ url: "/a", baseUrl: "/api" }, ["/a", "", "/api"]],
    [{ url: "/a", baseUrl: "", originalUrl: "/api/a" }, ["/a", "", ""]],
    [{ url: "/a?b", originalUrl: "/api/a?b" }, ["/a", "?b", "/api"]],
    [{ url: "/a", originalUrl: "/rewritten" }, ["/a", "", ""]],
    [{ url: "http://host:1/a?b" }, ["/a", "?b", ""]],
    [{ url: "http://host:1" }, ["/", "", ""]],
    [{ url: "http://host:1?b" }, ["/", "?b", ""]],
    [{}, ["/", "", ""]],
  ])("reads path, query and mount path of %j", (request, expected) => {
    const { path, search, basePath } = exchangeOf(request);

    expect([path, search, basePath]).toEqual(expected);
  });

  it("names the whole target, the method, and the client's address where the host knows it", () => {
    const socket = { remoteAddress: "10.0.0.1" };
    const mounted = exchangeOf({ url: "/a", originalUrl: "/api/a", method: "PATCH", ip: "10.0.0.2", socket });

    expect([mounted.url, mounted.method, mounted.remoteAddress]).toEqual(["/api/a", "PATCH", "10.0.0.2"]);
    expect(exchangeOf({ url: "/a", socket })).toMatchObject({ url: "/a", remoteAddress: "10.0.0.1" });
  });
});
