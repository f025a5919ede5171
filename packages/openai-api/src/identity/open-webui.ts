import { createHmac, timingSafeEqual } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";

/** Options for requests that Open WebUI forwards for its users. */
export type OpenWebUiOptions = {
  /**
   * The secret of `FORWARD_USER_INFO_HEADER_JWT_SECRET`. The user of a request is then read from the signed token in
   * `X-OpenWebUI-User-Jwt`; a request without that header is `unauthorized`.
   */
  jwtSecret?: string | undefined;
  /**
   * True to believe `X-OpenWebUI-User-Id`, which is not signed. Set it only if no one but Open WebUI can reach the
   * service.
   * @default false
   */
  trustUserHeaders?: boolean | undefined;
  /** The tenant of all users of Open WebUI. @default none */
  tenantId?: string | undefined;
  /** True to keep each chat in its own session, named by `X-OpenWebUI-Chat-Id`. @default true */
  chatSessions?: boolean | undefined;
};

/** The tolerance in seconds for the difference between the clocks of Open WebUI and the service. */
const leewaySeconds = 30;

/** The prefix of the ids of sessions made for chats, so that they cannot equal the ids of a user's other sessions. */
const chatPrefix = "owui-";
const chatForm = /^[\w.:@-]{1,120}$/;

/**
 * Matches the start of the prompts with which Open WebUI asks for titles, tags, follow-up questions and search
 * queries.
 */
const taskStart = /^\s*###\s*Task:/;

/** Returns the user for whom Open WebUI sent a request. Throws `unauthorized` for an invalid signature. */
export function signInOpenWebUi(exchange: Exchange, options: OpenWebUiOptions | undefined): void {
  if (options === undefined) return;
  const { tenantId } = options;
  const userId = userOf(exchange, options);
  if (userId === undefined) return;
  exchange.signIn({ userId, ...(tenantId !== undefined && { tenantId }) });
}

function userOf(exchange: Exchange, { jwtSecret, trustUserHeaders }: OpenWebUiOptions): string | undefined {
  if (jwtSecret !== undefined) return readUser(headerOf(exchange, "x-openwebui-user-jwt"), jwtSecret);
  return trustUserHeaders === true ? headerOf(exchange, "x-openwebui-user-id") : undefined;
}

/**
 * Returns the session of the chat that a request belongs to. Undefined for a request without a chat, and for a request
 * for a title, tags or suggestions, because such a request is not part of the conversation.
 */
export function chatSessionOf(
  exchange: Exchange,
  options: OpenWebUiOptions | undefined,
  prompt: string,
): string | undefined {
  if (options === undefined || options.chatSessions === false) return undefined;
  const chatId = headerOf(exchange, "x-openwebui-chat-id");
  if (chatId === undefined || !chatForm.test(chatId)) return undefined;
  return isTask(exchange, prompt) ? undefined : chatPrefix + chatId;
}

/** Returns true for a request for a title, tags or suggestions of a chat. */
export function isTaskOfChat(exchange: Exchange, options: OpenWebUiOptions | undefined, prompt: string): boolean {
  if (options === undefined || headerOf(exchange, "x-openwebui-chat-id") === undefined) return false;
  return isTask(exchange, prompt);
}

function isTask(exchange: Exchange, prompt: string): boolean {
  return headerOf(exchange, "x-openwebui-task") !== undefined || taskStart.test(prompt);
}

function headerOf({ headers }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the user in a token that Open WebUI signed with HS256. */
function readUser(token: string | undefined, secret: string): string {
  const { sub, iss, exp } = readClaims(token ?? "", secret) ?? {};
  const isValid = iss === "open-webui" && typeof exp === "number" && exp + leewaySeconds > Date.now() / 1000;
  if (isValid && typeof sub === "string" && sub !== "") return sub;
  const message = "X-OpenWebUI-User-Jwt must be a token that Open WebUI has signed, and not expired.";
  throw new TroupeError("unauthorized", message);
}

function readClaims(token: string, secret: string): Record<string, unknown> | undefined {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  const expected = createHmac("sha256", secret).update(`${head}.${body}`).digest();
  const given = Buffer.from(signature, "base64url");
  const isSigned = more.length === 0 && given.length === expected.length && timingSafeEqual(given, expected);
  return isSigned && parse(head)?.["alg"] === "HS256" ? parse(body) : undefined;
}

function parse(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
