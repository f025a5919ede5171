import { readRetryAfter, sharedHttpPool } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { ChatRequest } from "ollama/browser";
import type { ProviderSettings } from "./ollama-options.ts";
import { VendorError } from "./vendor-error.ts";
import type { WireRequest } from "./wire-types.ts";

/** Server address, key, timeouts in milliseconds, and signal with which `postChat` sends a request. */
export type SendOptions = Pick<ProviderSettings, "baseURL" | "timeoutMs" | "idleTimeoutMs"> & {
  key: ResolvedKey | undefined;
  signal: AbortSignal | undefined;
};

/**
 * Sends a chat request to the server and returns the response before its body is read. Throws a `VendorError` for an
 * error status.
 */
export async function postChat(request: WireRequest, sendOptions: SendOptions): Promise<Response> {
  // Not the main entry point, which reads a file when an image equals its name.
  const { Ollama } = await import("ollama/browser");
  const replies: Response[] = [];
  const client = new Ollama({
    host: sendOptions.baseURL,
    fetch: async (url, init) => {
      const reply = await send(url, init?.body, sendOptions);
      replies.push(reply);
      return reply;
    },
  });
  // Its result is not used: it reads each byte several times, and writes to the console what it cannot read.
  await client.chat({ ...request, stream: true } as ChatRequest & { stream: true });
  const [reply] = replies;
  if (reply === undefined) throw new Error("The library sent nothing.");
  return reply;
}

/** Sends the request of the library with its own headers: the library may add a key from the environment. */
async function send(
  url: Parameters<typeof fetch>[0],
  body: RequestInit["body"],
  { key, signal, timeoutMs, idleTimeoutMs }: SendOptions,
): Promise<Response> {
  const reply = await sharedHttpPool().fetch(url, {
    method: "POST",
    body: body ?? null,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key.value}` }),
      "content-type": "application/json",
      accept: "application/x-ndjson",
      "user-agent": "troupe",
    },
    headersTimeoutMs: timeoutMs,
    idleTimeoutMs,
    ...(signal !== undefined && { signal }),
  });
  if (reply.ok) return reply;
  throw new VendorError(reply.status, wordIn(await reply.text()), readRetryAfter(reply.headers));
}

/** Reads the error of the server from a response, which may come from a proxy. */
function wordIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { error?: unknown } | null)?.error;
  } catch {
    return undefined;
  }
}
