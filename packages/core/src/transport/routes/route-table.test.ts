import { describe, expect, it } from "vitest";
import { RouteTable } from "./route-table.ts";
import type { Route, RouteHandler } from "./route.ts";

const quiet: RouteHandler = () => undefined;

/** Returns the pattern of the route that is found, and its parameters. */
function find(table: RouteTable, path: string): [string, unknown] | undefined {
  const found = table.find(path, "GET");
  return found && [found.route.path, found.params];
}

describe("RouteTable", () => {
  const paths = [
    "/agents",
    "/agents/:name/run",
    "/agents/latest/run",
    "/agents/:name/ui/:chatId/stop",
    "/openapi.json",
    "/",
  ];
  const table = new RouteTable().add(
    "http",
    paths.map((path) => ({ path, get: quiet })),
  );

  it.each([
    ["/agents", "/agents", {}],
    ["/agents/", "/agents", {}],
    ["/AGENTS", "/agents", {}],
    ["/agents/a/run", "/agents/:name/run", { name: "a" }],
    ["/Agents/Ä%20b%2Fc/RUN/", "/agents/:name/run", { name: "Ä b/c" }],
    ["/agents/latest/run", "/agents/latest/run", {}],
    ["/agents/latest/ui/7/stop", "/agents/:name/ui/:chatId/stop", { name: "latest", chatId: "7" }],
    ["/agents/run/run", "/agents/:name/run", { name: "run" }],
    ["/openapi.json", "/openapi.json", {}],
    ["/", "/", {}],
  ])("finds %j at %s with the parameters %j", (path, route, params) => {
    expect(find(table, path)).toEqual([route, params]);
  });

  it.each([
    "/agent",
    "/agents/a",
    "/agents//run",
    "/agents/a/run/b",
    "/agents/a/run//",
    "//agents",
    "/openapi_json",
    "/%61gents",
    "",
    "*",
  ])("finds nothing at %j", (path) => {
    expect(find(table, path)).toBeUndefined();
  });

  it("finds the first of two routes with one path that answer no common method, each by its own method", () => {
    const [first, second] = [
      { path: "/a/:x", get: quiet },
      { path: "/A/:y/", post: quiet },
    ];
    const two = new RouteTable().add("one", [first]).add("two", [second]);

    expect(two.find("/a/1", "GET")).toMatchObject({ route: first, protocol: "one", params: { x: "1" } });
    expect(two.find("/a/1", "POST")).toMatchObject({ route: second, protocol: "two", params: { y: "1" } });
    expect(two.find("/a/1", "PUT")).toMatchObject({ route: first, protocol: "one", params: { x: "1" } });
  });

  it.each(["/agents/%/run", "/agents/%C3/run"])(
    "finds a URIError in place of parameters for the escape in %j",
    (path) => {
      expect(find(table, path)).toEqual(["/agents/:name/run", expect.any(URIError)]);
    },
  );

  it("finds a parameter by each name that an object has already", () => {
    const { params } = new RouteTable().add("x", [{ path: "/:__proto__", get: quiet }]).find("/a", "GET") ?? {};

    expect(Object.entries(params ?? {})).toEqual([["__proto__", "a"]]);
  });
});

describe("a last segment *", () => {
  const table = new RouteTable().add("x", [
    { path: "/docs/*", get: quiet },
    { path: "/docs/index", get: quiet },
    { path: "/docs/index/:part", get: quiet },
    { path: "/sites/:site/*", get: quiet },
  ]);

  it.each([
    ["/docs/a", "/docs/*", {}],
    ["/docs/a/b//c/", "/docs/*", {}],
    ["/docs//a", "/docs/*", {}],
    ["/docs/%", "/docs/*", {}],
    ["/docs/index", "/docs/index", {}],
    ["/docs/index/1", "/docs/index/:part", { part: "1" }],
    ["/docs/index/1/2", "/docs/*", {}],
    ["/sites/s%20t/a/b", "/sites/:site/*", { site: "s t" }],
  ])("leads from %j to %s with the parameters %j", (path, route, params) => {
    expect(find(table, path)).toEqual([route, params]);
  });

  it.each(["/docs", "/docs/", "/", "/sites/s", "/other/a"])("does not stand for nothing at %j", (path) => {
    expect(find(table, path)).toBeUndefined();
  });
});

describe("a route that does not serve its parameters", () => {
  const serves = ({ name }: Readonly<Record<string, string>>) => name === "a b";
  const own: Route = { path: "/:name", get: quiet, serves };

  it("is not found, and is asked with decoded parameters", () => {
    const table = new RouteTable().add("one", [own]);

    expect(find(table, "/a%20b")).toEqual(["/:name", { name: "a b" }]);
    expect(find(table, "/b")).toBeUndefined();
    expect(table.find("/b", "PUT")).toBeUndefined();
  });

  it("leaves a request to another route of its path, also one of another method", () => {
    const other = {
      path: "/:id",
      get: quiet,
      post: quiet,
      serves: ({ id }: Readonly<Record<string, string>>) => id === "b",
    };
    const table = new RouteTable().add("one", [{ ...own, get: undefined, patch: quiet }]).add("two", [other]);

    expect(table.find("/b", "GET")).toMatchObject({ protocol: "two", params: { id: "b" } });
    expect(table.find("/a%20b", "PATCH")).toMatchObject({ protocol: "one" });
    expect(table.find("/c", "GET")).toBeUndefined();
  });

  it("leaves a request to a parameter, and to a last *, as if it did not exist", () => {
    const table = new RouteTable().add("one", [
      { path: "/named", get: quiet, serves: () => false },
      own,
      { path: "/*", get: quiet },
    ]);
    const named = new RouteTable().add("one", [
      { path: "/named", get: quiet, serves: () => false },
      { path: "/:any", get: quiet },
    ]);

    expect(find(table, "/a%20b")).toEqual(["/:name", { name: "a b" }]);
    expect(find(table, "/named")).toEqual(["/*", {}]);
    expect(find(named, "/named")).toEqual(["/:any", { any: "named" }]);
  });
});

describe("two routes at one path", () => {
  it.each<[string, Partial<Route>, Partial<Route>]>([
    ["GET", { get: quiet }, { get: quiet, post: quiet }],
    ["DELETE", { post: quiet, delete: quiet }, { delete: quiet }],
    ["PATCH", { all: quiet }, { patch: quiet }],
    ["POST", { post: quiet }, { all: quiet }],
    ["all methods of", { all: quiet }, { all: quiet, get: quiet }],
  ])("may not both answer %s, by the names of both protocols", (method, one, other) => {
    const table = new RouteTable().add("http", [{ path: "/a/:x", ...one }]);

    expect(() => table.add("page", [{ path: "/A/:y", ...other }])).toThrow(
      expect.objectContaining({
        code: "invalid_config",
        message: `http and page both answer ${method} /A/:y. Give one of them another path.`,
      }),
    );
  });

  it("may not both answer a method if there is a third between them, nor in one protocol", () => {
    const table = new RouteTable().add("one", [{ path: "/", get: quiet }]).add("two", [{ path: "/", post: quiet }]);

    expect(() => table.add("three", [{ path: "/", get: quiet }])).toThrow("one and three both answer GET /.");
    expect(() => table.add("two", [{ path: "/", post: quiet }])).toThrow("two and two both answer POST /.");
    expect(() => table.add("three", [{ path: "/", patch: quiet }])).not.toThrow();
  });

  it("may both answer a method where one path has a name and the other a parameter or *", () => {
    const table = new RouteTable().add("one", [{ path: "/a/b", get: quiet }]);

    expect(() =>
      table.add("two", [
        { path: "/a/:x", get: quiet },
        { path: "/a/*", get: quiet },
      ]),
    ).not.toThrow();
  });
});
