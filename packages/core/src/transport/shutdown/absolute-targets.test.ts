import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { WatchedServer } from "./watched-server.ts";
import type { ClosableServer } from "./watched-server.ts";

/** Makes a watched server without a network. */
function serverOf(): EventEmitter {
  const server = new EventEmitter();
  void new WatchedServer(server as unknown as ClosableServer);
  return server;
}

/** Sends a request with this target. */
function ask(server: EventEmitter, url: string | undefined) {
  const socket = Object.assign(new EventEmitter(), { bytesRead: 1 });
  const request = Object.assign(new EventEmitter(), { socket, complete: true, url, headers: { host: "own" } });
  server.emit("request", request, new EventEmitter());
  return request;
}

describe("a target", () => {
  it.each<[string | undefined, string | undefined, string]>([
    ["/a?b=http://c", "/a?b=http://c", "own"],
    ["http://x.test/a?b", "/a?b", "x.test"],
    ["HTTPS://x.test:8/a", "/a", "x.test:8"],
    ["http://x.test", "/", "x.test"],
    ["http://x.test?b", "/?b", "x.test"],
    ["ws+a.b-1://x/y", "/y", "x"],
    ["http:///a", "/a", ""],
    ["http://u:p@x.test//a", "//a", "u:p@x.test"],
    ["*", "*", "own"],
    ["1http://x/a", "1http://x/a", "own"],
    [undefined, undefined, "own"],
  ])("of %j is %j at the host %j", (url, path, host) => {
    const request = ask(serverOf(), url);
    expect([request.url, request.headers]).toEqual([path, { host }]);
  });

  it("is made a path before the host's own listener sees it", () => {
    const server = serverOf();
    const seen: unknown[] = [];
    server.on("request", (request: { url: string }) => seen.push(request.url));
    ask(server, "http://x/a");
    expect(seen).toEqual(["/a"]);
  });
});
