import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { TroupeError } from "@troupe/core";
import type { ErrorCode, Runnable, RunOpts } from "@troupe/core";
import {
  encodeSse,
  findRunnable,
  readKeyHeaders,
  SseWriter,
  toPublicError,
  toPublicOutput,
} from "@troupe/core/transport";
import type { Registry } from "@troupe/core/transport";

const statusOf: Partial<Record<ErrorCode, number>> = { invalid_request: 400, not_found: 404, unauthorized: 401 };

/** A third party's transport: a server that runs the runnable named in the path, whole or as a stream. */
export function serveRunnables(registry: Registry<Runnable>): Server {
  return createServer((request, response) => {
    void answer({ registry, request, response }).catch((error: unknown) => {
      const publicError = toPublicError(error);
      if (response.headersSent) return response.destroy();
      return response.writeHead(statusOf[publicError.code] ?? 500).end(JSON.stringify({ error: publicError }));
    });
  });
}

type Exchange = { registry: Registry<Runnable>; request: IncomingMessage; response: ServerResponse };

// #region readme
async function answer({ registry, request, response }: Exchange): Promise<void> {
  const [, name = "", mode = ""] = (request.url ?? "").split("/");
  const runnable = findRunnable(registry, decodeURIComponent(name));
  const { input, options } = await readRun(request);
  if (mode === "run") {
    response.end(JSON.stringify(toPublicOutput(await runnable.run(input, options))));
    return;
  }
  const abort = new AbortController();
  response.once("close", () => abort.abort());
  const writer = new SseWriter(response);
  try {
    for await (const chunk of runnable.stream(input, { ...options, signal: abort.signal })) {
      await writer.write(encodeSse({ data: JSON.stringify(chunk) }));
    }
  } finally {
    await writer.close();
  }
}
// #endregion

async function readRun(request: IncomingMessage): Promise<{ input: string; options: RunOpts }> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as { input?: unknown; apiKey?: unknown };
  if (typeof body.input !== "string") throw new TroupeError("invalid_request", "input must be a string.");
  return { input: body.input, options: readKeyHeaders(request.headers, { bodyKey: body.apiKey }) };
}
