import { Agent, TroupeError } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { Server } from "socket.io";
import type { Socket } from "socket.io";
import { describe, expect, it, vi } from "vitest";
import { createAgentGateway } from "../src/create-agent-gateway.ts";
import type { GatewayOptions } from "../src/gateway-options.ts";
import { serveUsers, transports } from "../test/test-client.ts";

const talker = new Agent({ name: "talker", model: new ScriptedModel().respond(() => "Hello.") });

describe.each(transports)("authMiddleware over %s", (transport) => {
  const over = { transports: [transport] };

  it("lets a connection in, or refuses it with the host's own words [socket.auth]", async () => {
    const { join } = await serveUsers({
      agents: { a: talker },
      authMiddleware: (socket, next) => {
        if (socket.handshake.auth["token"] === "good") next();
        else next(Object.assign(new Error("Sign in first."), { data: { retry: false } }));
      },
    });

    expect(await (await join({ ...over, auth: { token: "good" } })).run({ name: "a", input: "Hi" })).toMatchObject({
      name: "agent.done",
    });
    await expect(join(over)).rejects.toMatchObject({ message: "Sign in first.", data: { retry: false } });
  });

  it.each<[string, GatewayOptions["authMiddleware"]]>([
    [
      "throws",
      () => {
        throw new Error("secret of the database");
      },
    ],
    [
      "rejects",
      async () => {
        await Promise.reject(new Error("secret of the database"));
      },
    ],
  ])(
    "that %s refuses the connection without the reason, which the log has [socket.auth-failure]",
    async (_how, authMiddleware) => {
      const { join, lines } = await serveUsers({ agents: { a: talker }, authMiddleware });
      const refusal = await join(over).catch((error: unknown) => error);

      expect(refusal).toMatchObject({ message: "Something went wrong in this service.", data: { code: "internal" } });
      expect(lines.join("\n")).toContain("authMiddleware failed.");
    },
  );
});

describe("authMiddleware", () => {
  it("may refuse with an error of a code [socket.auth]", async () => {
    const { join } = await serveUsers({
      agents: { a: talker },
      authMiddleware: async (_socket, next) => {
        await Promise.resolve();
        next(new TroupeError("unauthorized", "The token has expired."));
      },
    });

    await expect(join()).rejects.toMatchObject({ message: "The token has expired.", data: { code: "unauthorized" } });
  });

  it("decides once: what it says later has no effect [socket.auth-failure]", async () => {
    let connections = 0;
    const { join, io } = await serveUsers({
      agents: { a: talker },
      authMiddleware: (_socket, next) => {
        next();
        next();
        next(new Error("No."));
      },
    });
    io.of("/service").on("connection", () => (connections += 1));
    const client = await join();

    expect(await client.run({ name: "a", input: "Hi" })).toMatchObject({ name: "agent.done" });
    expect(connections).toBe(1);
  });

  it("holds no connection that closes before it has decided [socket.auth-failure]", async () => {
    const asked: Socket[] = [];
    const { io, join } = await serveUsers({
      agents: { a: talker },
      authMiddleware: (socket) => void asked.push(socket),
    });
    void join().catch(() => undefined);
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    const waiting: unknown = Reflect.get(io.of("/service"), "_preConnectSockets");
    expect(waiting).toMatchObject({ size: 1 });
    asked[0]?.conn.close();
    await vi.waitFor(() => expect(waiting).toMatchObject({ size: 0 }));
  });
});

describe("the options of a gateway", () => {
  it.each<[object, string]>([
    [{}, "io must be a Socket.IO server"],
    [{ io: {} }, "io must be a Socket.IO server"],
    [{ agents: { a: {} } }, 'agents["a"] must be'],
    [{ agents: { "a/b": talker } }, "cannot be a segment of a path"],
    [{ teams: 7 }, "teams must be"],
    [{ namespace: "service" }, "namespace must be"],
    [{ allowedOrigins: ["*"] }, "allowedOrigins[0]"],
    [{ allowedHosts: ["*.example"] }, "allowedHosts[0]"],
    [{ authMiddleware: true }, "authMiddleware must be a function"],
    [{ runs: {} }, "runs must be a RunService"],
    [{ onDisconnect: "abort" }, "onDisconnect must be"],
    [{ maxRunsPerSocket: 0 }, "maxRunsPerSocket must be a positive integer"],
    [{ maxBufferedBytes: 0.5 }, "maxBufferedBytes must be a positive integer"],
    [{ agent: talker }, "agent"],
  ])("are refused when they would have no effect: %j [socket.options]", (options, sentence) => {
    const io = new Server();
    const given = { ...(sentence.startsWith("io") ? {} : { io }), ...options } as GatewayOptions;

    expect(() => createAgentGateway(given)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(sentence) }) as Error,
    );
  });

  it("may come from maps, and may name nothing to serve [socket.options]", async () => {
    const { join } = await serveUsers({ agents: new Map([["a", talker]]), teams: undefined });
    const empty = await serveUsers({});

    expect(await (await join()).run({ name: "a", input: "Hi" })).toMatchObject({ name: "agent.done" });
    expect(await (await empty.join()).ask("agent.run", { name: "a", input: "Hi" })).toMatchObject({
      code: "not_found",
    });
  });
});
