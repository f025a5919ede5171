import { keepBreach } from "./breaches.ts";
import { McpGrammar } from "./mcp-stream.ts";
import { SocketGrammar } from "./socket-events.ts";

type Listener = (name: string, payload: Readonly<Record<string, unknown>>) => void;

/** A client of Socket.IO, as far as it is watched. */
type WatchedSocket = {
  onAny(listener: Listener): unknown;
  onAnyOutgoing(listener: Listener): unknown;
};

/** Feeds what a client of the gateway receives to the grammar of its events. */
export function watchSocket<Socket extends WatchedSocket>(socket: Socket): Socket {
  const grammar = new SocketGrammar();
  socket.onAnyOutgoing((name, payload) => grammar.send(name, payload));
  socket.onAny((name, payload) => {
    // Others are the host's own.
    if (name.startsWith("agent.")) keepBreach("A socket", () => grammar.read({ name, payload }));
  });
  return socket;
}

/** The transport of an MCP client, as far as it is watched. */
type WatchedTransport = {
  onmessage?: ((message: never, ...more: never[]) => void) | undefined;
  send(message: never, ...more: never[]): Promise<void>;
};

/** Feeds what a client of an MCP server receives to the grammar of its messages. Call it before the client connects. */
export function watchTransport<Transport extends WatchedTransport>(transport: Transport): Transport {
  const grammar = new McpGrammar();
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  return Object.assign(transport, {
    send: async (message: never, ...more: never[]) => {
      grammar.send(message);
      await send(message, ...more);
    },
    onmessage: (message: never, ...more: never[]) => {
      keepBreach("An MCP client", () => grammar.read(message));
      onmessage?.(message, ...more);
    },
  });
}
