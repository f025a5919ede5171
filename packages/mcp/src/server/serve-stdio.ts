import { Writable } from "node:stream";
import type { McpRequestContext } from "@modelcontextprotocol/server";
import { localSource } from "./call-tool.ts";
import type { MadeServer } from "./extension.ts";
import { defaultMessageBytes } from "./answer-request.ts";
import { createServerMaker } from "./make-server.ts";
import type { ServerParts } from "./tasks/server-parts.ts";

/** A connection over the standard streams: its servers, a promise for its end, and a function that ends it. */
export type StdioConnection = {
  readonly servers: readonly MadeServer[];
  readonly ended: Promise<void>;
  close(): Promise<void>;
};

/**
 * Serves a client over the standard streams of this process. From now on only the protocol uses standard output: other
 * writes to it go to standard error.
 */
export function openStdio(load: () => Promise<ServerParts>): StdioConnection {
  const { output, release } = takeStandardOutput();
  const servers: MadeServer[] = [];
  const opened = open(load, output, servers);
  const ended = opened.then(async (connection) => await connection.ended).finally(release);
  // Prevents an unhandled rejection if no caller awaits the promise.
  ended.catch(() => {});
  return { servers, ended, close: async () => await (await opened.catch(() => undefined))?.close() };
}

async function open(load: () => Promise<ServerParts>, output: Writable, servers: MadeServer[]) {
  const [parts, { serveStdio, StdioServerTransport }] = await Promise.all([
    load(),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const { logger, settings } = parts.service;
  const principal = await parts.service.authenticate(localSource());
  const caller = { source: localSource(principal), opts: { ...principal }, secrets: [] };
  const maxBufferSize = settings.maxBodyBytes ?? defaultMessageBytes;
  const transport = new StdioServerTransport(process.stdin, output, { maxBufferSize });
  const makeServer = createServerMaker(parts);
  let sessionAt: number | undefined;
  const serve = async ({ era }: McpRequestContext): Promise<MadeServer["product"]> => {
    if (era === "legacy") sessionAt ??= performance.now();
    const made = await makeServer({ caller, era, isKept: true });
    servers.push(made);
    return made.product;
  };
  const onerror = ({ name }: Error): void => logger.debug("A message was refused.", { error: name });
  const connection = serveStdio(serve, { transport, onerror });
  const ended = new Promise<void>((resolve) => {
    const close = transport.close.bind(transport);
    transport.close = async () => {
      await close();
      if (sessionAt !== undefined) {
        const ms = performance.now() - sessionAt;
        settings.telemetry?.measure("mcp.session", { side: "server", ms, transport: "pipe" });
      }
      sessionAt = undefined;
      resolve();
    };
  });
  return { ended, close: () => connection.close() };
}

function takeStandardOutput(): { output: Writable; release: () => void } {
  const { stdout, stderr } = process;
  const held = Object.getOwnPropertyDescriptor(stdout, "write");
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => void write(chunk, "utf8", done),
  });
  stdout.write = stderr.write.bind(stderr);
  const release = (): void => {
    if (held === undefined) Reflect.deleteProperty(stdout, "write");
    else Object.defineProperty(stdout, "write", held);
  };
  return { output, release };
}
