import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent as HttpAgent, createServer } from "node:http";
import { connect as connectTo } from "node:net";
import type { AddressInfo, Socket as NetSocket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "@troupe/core";
import { watchSocket } from "@troupe-internal/stream-grammars";
import { Server } from "socket.io";
import type { ServerOptions } from "socket.io";
import { io as dial } from "socket.io-client";
import type { ManagerOptions, Socket, SocketOptions } from "socket.io-client";
import { onTestFinished } from "vitest";
import { createAgentGateway } from "../src/create-agent-gateway.ts";
import type { AgentGateway } from "../src/create-agent-gateway.ts";
import type { GatewayOptions } from "../src/gateway-options.ts";

/** Options of a client. Those of `socket.io-client`, but for the agent, whose type is that of a browser there. */
export type ClientOptions = Partial<ManagerOptions & SocketOptions>;

/** The address of a server and the options of its clients. */
export type Transport = "websocket" | "polling";

/** A gateway on a server of its own. */
export class ServedGateway {
  readonly io: Server;
  readonly gateway: AgentGateway;
  /** The lines that the gateway has logged. */
  readonly lines: string[];
  readonly url: string;

  private constructor({ io, gateway, lines, url }: Pick<ServedGateway, "io" | "gateway" | "lines" | "url">) {
    this.io = io;
    this.gateway = gateway;
    this.lines = lines;
    this.url = url;
  }

  /** Serves a gateway until the test is over: on a free port, or on a Unix socket. */
  static async start(
    options: Omit<GatewayOptions, "io">,
    { path, ...server }: Partial<ServerOptions> & { path?: string } = {},
  ): Promise<ServedGateway> {
    const http = createServer();
    if (path === undefined) http.listen(0, "127.0.0.1");
    else http.listen(path);
    await once(http, "listening");
    const io = new Server(http, server);
    const lines: string[] = [];
    const logger = createLogger({ level: "debug", write: (line) => lines.push(line) });
    const gateway = createAgentGateway({ io, logger, ...options });
    onTestFinished(async () => {
      http.closeAllConnections();
      await io.close();
      await gateway.close();
    });
    const { port } = path === undefined ? (http.address() as AddressInfo) : { port: 1 };
    return new ServedGateway({ io, gateway, lines, url: `http://127.0.0.1:${port}` });
  }

  /** Connects a client to the gateway's namespace until the test is over: at its own address, or at that of a proxy. */
  async connect(options: ClientOptions = {}, url = this.url): Promise<Socket> {
    const socket = watchSocket(dial(`${url}/service`, { forceNew: true, reconnection: false, ...options }));
    onTestFinished(() => void socket.disconnect());
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("connect_error", reject);
    });
    return socket;
  }
}

/**
 * A Unix socket for a server, and an agent that brings clients there. On loopback the system buffers four megabytes of a
 * connection before a program meets backpressure; on a Unix socket it is a fifth of a megabyte.
 */
export function unixSocket(): { path: string; agent: HttpAgent; connections: NetSocket[] } {
  const folder = mkdtempSync(join(tmpdir(), "troupe-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "socket");
  const connections: NetSocket[] = [];
  class PathAgent extends HttpAgent {
    override createConnection(): NetSocket {
      const socket = connectTo({ path });
      connections.push(socket);
      return socket;
    }
  }
  return { path, agent: new PathAgent({ keepAlive: true }), connections };
}
