import { createId, readObject, streamEvents } from "@troupe/core/kit";
import type { CallHeaders, HttpReply } from "@troupe/core/kit";
import { readEvent } from "./read-reply.ts";
import type { RemoteEvent } from "./read-reply.ts";
import { badForm, failureOfError, failureOfStatus, toRemoteFailure } from "./remote-failure.ts";
import type { RemoteFailure } from "./remote-failure.ts";
import type { RemoteHttp, RemoteRequest } from "./remote-http.ts";
import type { RemoteInterface } from "./remote-interfaces.ts";
import { writeCall } from "./write-call.ts";
import type { RemoteCall } from "./write-call.ts";

/**
 * Values that all calls of one run to a remote agent share: the headers of the option `headers`, and the abort signal.
 */
export type CallSetting = { readonly users: CallHeaders | undefined; readonly signal: AbortSignal };

/**
 * One interface of a remote agent: sends calls in its version and reads the answers. Throws a `RemoteFailure`, or the
 * reason of an aborted signal.
 */
export class RemoteEndpoint {
  readonly at: RemoteInterface;
  readonly #http: RemoteHttp;
  readonly #maxBytes: number;
  readonly #promisesStreams: boolean;

  constructor(at: RemoteInterface, http: RemoteHttp, facts: { maxBytes: number; promisesStreams: boolean }) {
    this.at = at;
    this.#http = http;
    this.#maxBytes = facts.maxBytes;
    this.#promisesStreams = facts.promisesStreams;
  }

  /** True if calls to this endpoint can be streamed. */
  get streams(): boolean {
    return this.#promisesStreams && this.#http.isTrusted(this.at.url);
  }

  /** Sends a call to the remote agent and returns the event that answers it. */
  async call(call: RemoteCall, setting: CallSetting, timeoutMs?: number): Promise<RemoteEvent> {
    const { id, request } = this.#write(call, setting);
    const { status, headers, text } = await this.#http.whole(request, timeoutMs);
    const body = parse(text);
    if (status < 200 || status > 299) throw failureOfReply(status, headers, body);
    return this.#read(body, id, status);
  }

  /**
   * Sends a call to the remote agent and yields the events of its stream. An agent may also answer with a single event.
   */
  async *stream(call: RemoteCall, setting: CallSetting): AsyncGenerator<RemoteEvent, void, undefined> {
    const { id, request } = this.#write(call, setting);
    const opened = await this.#http.open(request);
    const { reply } = opened;
    try {
      if (reply.status < 200 || reply.status > 299) {
        throw failureOfReply(reply.status, reply.headers, parse(await reply.text().catch(() => "")));
      }
      if (isEventStream(reply)) yield* this.#readStream(reply, id);
      else yield this.#read(parse(await reply.text()), id, reply.status);
    } catch (error) {
      throw toRemoteFailure(error);
    } finally {
      opened.end();
    }
  }

  async *#readStream(reply: HttpReply, id: string): AsyncGenerator<RemoteEvent, void, undefined> {
    for await (const batch of streamEvents<object>(reply, { format: "sse", maxEventBytes: this.#maxBytes })) {
      for (const frame of batch) {
        // A frame with `body` means that the agent answered with a JSON body instead of a stream.
        const { body } = readObject(frame);
        yield this.#read(this.at.binding === "JSONRPC" && body !== undefined ? body : frame, id, reply.status);
      }
    }
  }

  #write(call: RemoteCall, { users, signal }: CallSetting): { id: string; request: RemoteRequest } {
    const id = createId();
    return { id, request: { ...writeCall(call, this.at, id), users, signal } };
  }

  /**
   * Reads a reply or a frame of the remote agent: in JSON-RPC the result of our request, in HTTP+JSON the event itself.
   * Throws a `RemoteFailure` for an error in it.
   */
  #read(body: unknown, id: string, status: number): RemoteEvent {
    const fields = readObject(body);
    if (fields["error"] !== undefined && fields["error"] !== null) {
      throw failureOfError(fields["error"], status >= 400 ? status : undefined);
    }
    const isRpc = this.at.binding === "JSONRPC";
    if (isRpc && fields["id"] !== id && "result" in fields) throw badForm("answered another request than ours");
    const event = isTooDeep(body, maxDepth) ? undefined : readEvent(isRpc ? fields["result"] : body);
    if (event === undefined) throw badForm("sent an answer that is no task, message or update of A2A");
    return event;
  }
}

function isEventStream({ headers }: HttpReply): boolean {
  return /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Makes the failure of a reply with an error status. Details come from the body, except for rejected credentials, too
 * many requests and statuses from 502 on.
 */
function failureOfReply(status: number, headers: HttpReply["headers"], body: unknown): RemoteFailure {
  const { error } = readObject(body);
  const isPlain = status === 401 || status === 403 || status === 429 || status >= 502;
  if (isPlain || typeof error !== "object" || error === null) return failureOfStatus(status, headers);
  return failureOfError(error, status);
}

/** Deepest nesting of a remote agent's reply: code that walks a deeper value could overflow the stack. */
const maxDepth = 64;

function isTooDeep(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeep(part, levels - 1));
}
