import type { CallContext } from "../../base/errors/to-model-error.ts";
import { ResponseError, TruncatedResponseError } from "../../base/errors/vendor-error.ts";
import { readBodyText } from "./http-reply.ts";
import type { HttpReply, ReplyBody, ReplyHeaders } from "./http-reply.ts";
import type { HttpSender } from "./http-sender.ts";
import type { RequestTimeouts } from "./http-request.ts";
import { encodeJson } from "./json-body.ts";

/** Head of a reply with an error status. */
export type ErrorReply = { status: number; headers: ReplyHeaders };

/** Request of `postJson`, and the function that makes the error of a reply with an error status. */
export type JsonRequest = {
  url: string | URL;
  /** The value that is sent as JSON, with the content type of JSON. */
  body: unknown;
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The call that the request belongs to: its signal, and the user's headers, which replace headers of the same name.
   */
  call: CallContext;
  /**
   * Makes the error of a reply with an error status, usually a `VendorError`, from its JSON value, or from its text if
   * it is not JSON.
   */
  toError: (body: unknown, reply: ErrorReply) => Error;
} & RequestTimeouts;

/**
 * Sends a JSON body to a vendor and returns the reply before its body is read. Throws `toError` of a reply with an
 * error status.
 */
export async function postJson(sender: HttpSender, request: JsonRequest): Promise<HttpReply> {
  const { url, body, headers = {}, call, toError, headersTimeoutMs, idleTimeoutMs } = request;
  const encoded = encodeJson(body);
  const reply = await sender.send(url, {
    method: "POST",
    headers: mergeHeaders({ "content-type": "application/json", "user-agent": "troupe", ...headers }, call.headers),
    body: typeof encoded === "string" ? encoded : await encoded,
    signal: call.signal,
    headersTimeoutMs,
    idleTimeoutMs,
  });
  if (reply.status >= 200 && reply.status <= 299) return reply;
  // If the body of an error reply cannot be read, its status is enough.
  const text = await readBodyText(reply.bytes, { maxBytes: maxErrorBytes }).catch(() => "");
  throw toError(parse(text), reply);
}

/** The maximum size of an error's body in bytes. If it is larger, only the status is used. */
const maxErrorBytes = 1_048_576;

/** The maximum size of a whole answer in bytes: vectors for hundreds of texts take 20 MB. */
const maxAnswerBytes = 67_108_864;

/**
 * Reads a vendor's whole answer as JSON. A truncated answer, or a proxy's page, is a `TruncatedResponseError`. An
 * answer of more than 64 MB is not read to its end.
 */
export function readJson(reply: HttpReply): Promise<unknown> {
  return readAnswer(reply.bytes);
}

/** Reads a whole answer as `readJson` does, preceded by bytes that were already read. */
export async function readAnswer(bytes: ReplyBody, first?: Uint8Array): Promise<unknown> {
  const tooLarge = () => new ResponseError(`sent an answer of more than ${maxAnswerBytes} bytes`);
  return parseAnswer(await readBodyText(bytes, { ...(first && { first }), maxBytes: maxAnswerBytes, tooLarge }));
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new TruncatedResponseError(text === "" ? "sent an empty answer" : "sent an answer that is cut or not JSON");
  }
}

type UserHeaders = NonNullable<CallContext["headers"]>;

/** Merges the user's headers over the headers of the provider, by name regardless of case. `null` removes a header. */
export function mergeHeaders(
  ours: Readonly<Record<string, string>>,
  users: UserHeaders | undefined,
): Record<string, string> {
  const merged = { ...ours };
  if (users === undefined) return merged;
  const byKey = new Map(Object.keys(ours).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of Object.entries(users)) {
    const own = byKey.get(name.toLowerCase());
    if (own !== undefined) delete merged[own];
    if (value !== null) merged[name] = value;
  }
  return merged;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
