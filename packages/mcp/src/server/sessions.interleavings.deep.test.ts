import type * as Library from "@modelcontextprotocol/server";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import type { MadeServer } from "./extension.ts";
import { Sessions } from "./sessions.ts";

type TransportOptions = { sessionIdGenerator: () => string; onsessionclosed: () => void };

/** A server of one session as the library has it, and what became of it. */
class FakeServer {
  closes = 0;
  open = 0;
  isConnected = false;
  transport: { sessionId?: string; close(): void } | undefined;
}

const sessionIdleMs = 1000;

it.each([
  ["plenty of room", 100],
  ["room for two", 2],
])(
  "each session of an MCP server is closed once, and none while it answers but to make room, in any order, with %s [async.interleavings]",
  async (_room, maxSessions) => {
    await checkInterleavings((held) => serve(held, maxSessions), { seed: 38_102, stepMs: 400 });
  },
);

function serve(held: HeldCalls, maxSessions: number): Scene {
  const made: FakeServer[] = [];
  let isEnding = false;
  const library = fakeLibrary(held);
  const makeServer = async (): Promise<MadeServer> => {
    return await held.hold("the server that is made", () => {
      const server = new FakeServer();
      const close = (): void => {
        server.closes += 1;
        const mayCut = isEnding || maxSessions < 10;
        held.check(mayCut || server.open === 0, "a session is closed that answers, where there was room");
      };
      const connect = async (transport: FakeServer["transport"]): Promise<void> => {
        await held.hold("the connection", () => {
          server.isConnected = true;
          server.transport = transport;
        });
        Object.assign(transport as object, { close });
      };
      made.push(server);
      return { product: { connect, close: async () => close() } } as unknown as MadeServer;
    });
  };
  const sessions = new Sessions(library, makeServer, { maxSessions, sessionIdleMs });
  const ask = async (owner: string, session?: string): Promise<void> => {
    const server = made.find(({ transport }) => transport?.sessionId === session);
    const body = session === undefined ? { parsedBody: { method: "initialize" } } : {};
    const answered = Promise.withResolvers<void>();
    const caller = { opts: { userId: owner }, secrets: [], answered: answered.promise, ...(session && { session }) };
    if (server !== undefined && session !== undefined && server.closes === 0) server.open += 1;
    try {
      await sessions.answer({ request: new Request("http://localhost/"), options: body, caller });
      if (session !== undefined) await held.hold("the answer's way to the client", () => undefined, { canFail: false });
    } finally {
      if (server !== undefined && session !== undefined && server.open > 0) server.open -= 1;
      answered.resolve();
    }
  };
  const known = (index: number): string | undefined => made.at(index)?.transport?.sessionId;
  return {
    operations: {
      "Ann opens": async () => await ask("ann"),
      "Bob opens": async () => await ask("bob"),
      "Ann asks the newest": async () => (known(-1) === undefined ? undefined : await ask("ann", known(-1))),
      "Ann asks the oldest": async () => (known(0) === undefined ? undefined : await ask("ann", known(0))),
      "Bob asks the newest": async () => (known(-1) === undefined ? undefined : await ask("bob", known(-1))),
    },
    always: () => expect(sessions.servers.length).toBeLessThanOrEqual(maxSessions),
    end: async () => {
      isEnding = true;
      await sessions.close();
    },
    afterwards: () => {
      expect(sessions.servers).toEqual([]);
      expect(made.map(({ closes }) => closes)).toEqual(made.map(() => 1));
    },
  };
}

/** The library with transports whose answers are held. */
function fakeLibrary(held: HeldCalls): typeof Library {
  class Transport {
    sessionId?: string;
    readonly #options: TransportOptions;

    constructor(options: TransportOptions) {
      this.#options = options;
    }

    async handleRequest(_request: Request, { parsedBody }: { parsedBody?: unknown }): Promise<Response> {
      if (parsedBody === undefined) return await held.hold("an answer", () => new Response());
      return await held.hold("the answer to initialize", () => {
        this.sessionId = this.#options.sessionIdGenerator();
        return new Response();
      });
    }
  }
  return { WebStandardStreamableHTTPServerTransport: Transport } as unknown as typeof Library;
}
