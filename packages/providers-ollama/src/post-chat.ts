import { readRetryAfter, sharedHttpPool } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import type { ChatRequest } from "ollama/browser";
import type { ModelSettings } from "./ollama-options.ts";
import { VendorFailure } from "./vendor-failure.ts";
import type { WireRequest } from "./wire-types.ts";

/** Where a request goes, whose it is, how long it may take, and what ends it. */
export type Sending = Pick<ModelSettings, "baseURL" | "timeoutMs" | "idleTimeoutMs"> & {
  key: ResolvedKey | undefined;
  signal: AbortSignal | undefined;
};

/** Sends a request and gives the reply as it comes. A status that is no success is thrown as a `VendorFailure`. */
export async function postChat(request: WireRequest, sending: Sending): Promise<Response> {
  // Not the main entry: that one takes an image which is also the name of a file for the file.
  const { Ollama } = await import("ollama/browser");
  const replies: Response[] = [];
  const client = new Ollama({
    host: sending.baseURL,
    fetch: async (url, init) => {
      const reply = await send(url, init?.body, sending);
      replies.push(reply);
      return reply;
    },
  });
  // What it returns is left unread: it would look at each byte several times, and write to the console what it cannot read.
  await client.chat({ ...request, stream: true } as ChatRequest & { stream: true });
  const [reply] = replies;
  if (reply === undefined) throw new Error("The library sent nothing.");
  return reply;
}

/** Sends what the library wants to send, under headers of ours alone: it may add a key that it finds in the environment. */
async function send(
  url: Parameters<typeof fetch>[0],
  body: RequestInit["body"],
  { key, signal, timeoutMs, idleTimeoutMs }: Sending,
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
  throw new VendorFailure(reply.status, wordIn(await reply.text()), readRetryAfter(reply.headers));
}

/** What the server says of a failure, if it is the server that speaks. */
function wordIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { error?: unknown } | null)?.error;
  } catch {
    return undefined;
  }
}
