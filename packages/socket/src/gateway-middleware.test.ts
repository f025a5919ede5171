import { Agent, createLogger } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import type { Socket } from "socket.io";
import { describe, expect, it, vi } from "vitest";
import { FakeNamespace, FakeSocket } from "../test/fake-sockets.ts";
import { createAgentGateway } from "./create-agent-gateway.ts";
import type { GatewayOptions, SocketMiddleware } from "./gateway-options.ts";

type Middleware = (socket: Socket, next: (error?: Error) => void) => void;

/** A namespace that keeps the middlewares of the gateway, to ask them as Socket.IO does. */
class MiddlewareNamespace extends FakeNamespace {
  readonly middlewares: Middleware[] = [];

  constructor() {
    super(async () => await Promise.resolve([]));
  }

  override use(middleware?: Middleware): this {
    if (middleware !== undefined) this.middlewares.push(middleware);
    return this;
  }

  /** Asks one middleware after another, and returns the first refusal. */
  async admit(socket: object): Promise<Error | undefined> {
    for (const middleware of this.middlewares) {
      const refusal = await new Promise<Error | undefined>((resolve) => middleware(socket as Socket, resolve));
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }
}

/** A gateway whose authentication is watched, and sockets that ask to come in. */
function startGateway(options: Omit<GatewayOptions, "io"> = {}) {
  const namespace = new MiddlewareNamespace();
  const entries: unknown[] = [];
  const write = (line: string): void => {
    const { level, message, error } = JSON.parse(line) as { level: string; message: string; error?: Error };
    entries.push([level, message, error?.message]);
  };
  const logger = createLogger({ level: "debug", color: false, write });
  const agents = { a: new Agent({ name: "a", model: new ScriptedModel("Hi.") }) };
  const authMiddleware = vi.fn<SocketMiddleware>((_, next) => next());
  const gateway = createAgentGateway({ io: namespace.io, agents, logger, authMiddleware, ...options });
  const socketOf = ({ recovered = false, headers = {}, cors }: Partial<Asked> = {}) => {
    const socket = new FakeSocket("s1", "ada", recovered);
    const closes = vi.spyOn(socket.conn, "close");
    Object.assign(socket.conn, { server: { opts: { cors } } });
    return {
      closes,
      socket: Object.assign(socket, { request: { url: "/", headers }, handshake: { headers, query: {} } }),
    };
  };
  return { namespace, gateway, entries, authMiddleware, socketOf };
}

type Asked = { recovered: boolean; headers: Record<string, string>; cors: unknown };

const foreign = { host: "app.example", origin: "https://other.example" };

describe("the middlewares of a gateway", () => {
  it("a gateway closes the connection of a socket that comes during a shutdown, without asking authMiddleware", async () => {
    const { namespace, gateway, authMiddleware, socketOf, entries } = startGateway();
    const [before, after] = [socketOf(), socketOf()];
    expect(await namespace.admit(before.socket)).toBeUndefined();
    await gateway.service.close();
    const refusal = await namespace.admit(after.socket);

    expect(refusal).toMatchObject({
      code: "unavailable",
      message: "The service is shutting down. Try again in a moment.",
    });
    expect([before.closes.mock.calls.length, after.closes.mock.calls.length]).toEqual([0, 1]);
    expect(authMiddleware.mock.calls.map(([socket]) => socket)).toEqual([before.socket]);
    expect(entries).toEqual([]);
  });

  it("a gateway refuses a page of another site before it looks whether the service shuts down", async () => {
    const { namespace, gateway, socketOf } = startGateway();
    await gateway.service.close();
    const { socket, closes } = socketOf({ headers: foreign });

    expect(await namespace.admit(socket)).toMatchObject({ data: { code: "forbidden" } });
    expect(closes).not.toHaveBeenCalled();
  });

  it("a gateway without an authMiddleware has two middlewares, which keep the user of a socket", async () => {
    const { namespace, socketOf } = startGateway({ authMiddleware: undefined });
    expect([namespace.middlewares.length, namespace.listenerCount("connection")]).toEqual([2, 1]);
    const { socket } = socketOf();
    expect(await namespace.admit(socket)).toBeUndefined();
    expect(socket.data).toEqual({ principal: { userId: "ada" } });
  });

  it.each([
    [true, {}],
    [false, { principal: { userId: "ada" } }],
  ])(
    "a gateway forgets the user of a socket before authMiddleware is asked where its connection was recovered: %s",
    async (recovered, data) => {
      const { namespace, authMiddleware, socketOf } = startGateway();
      const seen: unknown[] = [];
      authMiddleware.mockImplementation((socket, next) => {
        seen.push({ ...(socket.data as object) });
        next();
      });
      await namespace.admit(socketOf({ recovered }).socket);

      expect(seen).toEqual([data]);
    },
  );

  it.each<[string, Partial<GatewayOptions>, Partial<Asked>]>([
    [
      "authMiddleware failed.",
      {
        authMiddleware: () => {
          throw new Error("secret");
        },
      },
      {},
    ],
    [
      "The cors function of the server failed.",
      {},
      {
        headers: foreign,
        cors: () => {
          throw new Error("secret");
        },
      },
    ],
  ])("a gateway tells the log which of the host's functions has failed: %s", async (message, options, asked) => {
    const { namespace, socketOf, entries } = startGateway(options);
    const refusal = await namespace.admit(socketOf(asked).socket);

    expect(refusal).toMatchObject({ message: "Something went wrong in this service.", data: { code: "internal" } });
    expect(entries).toEqual([["error", message, "secret"]]);
  });
});
