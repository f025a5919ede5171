import type { Socket } from "socket.io";
import { describe, expect, it, vi } from "vitest";
import { HostAndOriginGuard } from "@troupe/core/transport";
import { guardSource } from "./guard-source.ts";

type From = {
  headers?: Record<string, string>;
  query?: Record<string, string>;
  hasRequest?: boolean;
  cors?: unknown;
};

/** Returns how often a connection is let in, or the code of its refusal. */
async function pass(options: ConstructorParameters<typeof HostAndOriginGuard>[0], from: From): Promise<unknown> {
  const { headers = {}, query = {}, hasRequest = true, cors } = from;
  const socket = {
    request: hasRequest ? { url: "/socket.io/", headers } : null,
    handshake: { headers, query },
    conn: { server: { opts: { cors } } },
  } as unknown as Socket;
  const next = vi.fn<(error?: Error) => void>();
  try {
    await guardSource(new HostAndOriginGuard(options))(socket, next);
    return next.mock.calls;
  } catch (error) {
    return next.mock.calls.length === 0 ? (error as { code: string }).code : "both";
  }
}

const letIn = [[]];
const host = "app.example";
const page = { host, origin: "https://app.example" };
const other = { host, origin: "https://other.example" };

describe("a connection", () => {
  it.each<[string, ConstructorParameters<typeof HostAndOriginGuard>[0], From, unknown]>([
    ["of a program", {}, { headers: { host } }, letIn],
    ["of a page of the service", {}, { headers: page }, letIn],
    ["of a page of another site", {}, { headers: other }, "forbidden"],
    ["of a page that is allowed", { allowedOrigins: ["https://other.example"] }, { headers: other }, letIn],
    ["of a page that cors allows", {}, { headers: other, cors: { origin: "https://other.example" } }, letIn],
    [
      "of a page that cors does not allow",
      {},
      { headers: other, cors: { origin: "https://third.example" } },
      "forbidden",
    ],
    ["at a host that is allowed", { allowedHosts: [host] }, { headers: page }, letIn],
    ["at another host", { allowedHosts: ["service.example"] }, { headers: page }, "forbidden"],
    [
      "at another host, of a page that cors allows",
      { allowedHosts: ["service.example"] },
      { headers: other, cors: { origin: "*" } },
      "forbidden",
    ],
    ["by JSONP, without an origin", {}, { headers: { host }, query: { j: "0" } }, "forbidden"],
    ["by JSONP of an empty number, without an origin", {}, { headers: { host }, query: { j: "" } }, "forbidden"],
    ["by JSONP of a page of the service", {}, { headers: page, query: { j: "0" } }, letIn],
    [
      "by JSONP of a page that the browser names the same site's",
      {},
      { headers: { host, "sec-fetch-site": "same-origin" }, query: { j: "0" } },
      letIn,
    ],
    ["without a request, as WebTransport", {}, { headers: { host }, hasRequest: false }, "forbidden"],
    ["without a request, of a page of the service", {}, { headers: page, hasRequest: false }, letIn],
    ["with another query", {}, { headers: { host }, query: { t: "0" } }, letIn],
  ])("%s is let in once, or refused", async (...[, options, from, outcome]) => {
    expect(await pass(options, from)).toEqual(outcome);
  });

  it("a connection of a server without options is judged without them", async () => {
    const socket = { request: { headers: other }, handshake: { headers: other, query: {} }, conn: {} };
    const next = vi.fn<() => void>();
    await expect(guardSource(new HostAndOriginGuard({}))(socket as unknown as Socket, next)).rejects.toMatchObject({
      code: "forbidden",
    });
    expect(next).not.toHaveBeenCalled();
  });
});
