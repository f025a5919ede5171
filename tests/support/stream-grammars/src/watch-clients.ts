import { keepBreach } from "./breaches.ts";
import { McpGrammar } from "./mcp-stream.ts";
import { SocketGrammar } from "./socket-events.ts";

type Listener = (name: string, payload: Readonly<Record<string, unknown>>) => void;

/** The methods of a Socket.IO client that the watch uses. */
type WatchedSocket = {
  onAny(listener: Listener): unknown;
  onAnyOutgoing(listener: Listener): unknown;
};

/** Passes the events that a client of the gateway receives to their grammar. */
export function watchSocket<Socket extends WatchedSocket>(socket: Socket): Socket {
  const grammar = new SocketGrammar();
  socket.onAnyOutgoing((name, payload) => grammar.send(name, payload));
  socket.onAny((name, payload) => {
    // Other events are the host's own.
    if (name.startsWith("agent.")) keepBreach("A socket", () => grammar.read({ name, payload }));
  });
  return socket;
}

/** The methods of an MCP client's transport that the watch uses. */
type WatchedTransport = {
  onmessage?: ((message: never, ...more: never[]) => void) | undefined;
  send(message: never, ...more: never[]): Promise<void>;
};

/** Passes the messages that a client of an MCP server receives to their grammar. Call it before the client connects. */
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
