import { createHmac, timingSafeEqual } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";

/** Options for requests that Open WebUI forwards for its users. */
export type OpenWebUiOptions = {
  /**
   * The secret of `FORWARD_USER_INFO_HEADER_JWT_SECRET`. The user of a request is then the one whom Open WebUI has signed
   * for in `X-OpenWebUI-User-Jwt`; a request without that is `unauthorized`.
   */
  jwtSecret?: string | undefined;
  /**
   * True to believe `X-OpenWebUI-User-Id`, which is not signed. Only where no one but Open WebUI reaches the service.
   * @default false
   */
  trustUserHeaders?: boolean | undefined;
  /** The tenant of the users whom Open WebUI names. @default none */
  tenantId?: string | undefined;
  /** True to keep each chat in a session of its own, by `X-OpenWebUI-Chat-Id`. @default true */
  chatSessions?: boolean | undefined;
};

/** Seconds by which the clocks of Open WebUI and the service may differ. */
const leewaySeconds = 30;

/** The sessions of chats begin with it: a user may have other sessions with the ids of chats. */
const chatPrefix = "owui-";
const chatForm = /^[\w.:@-]{1,120}$/;

/** The start of the prompts by which Open WebUI asks for titles, tags, follow-up questions and search queries. */
const taskStart = /^\s*###\s*Task:/;

/** Signs in the user for whom Open WebUI has sent a request. Throws `unauthorized` for a signature that does not fit. */
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
 * Returns the session of the chat that a request is a part of. Undefined for a request without a chat, and for one that
 * asks for a title, tags or suggestions: these are no part of the conversation.
 */
export function chatSessionOf(
  exchange: Exchange,
  options: OpenWebUiOptions | undefined,
  prompt: string,
): string | undefined {
  if (options === undefined || options.chatSessions === false) return undefined;
  const chatId = headerOf(exchange, "x-openwebui-chat-id");
  if (chatId === undefined || !chatForm.test(chatId)) return undefined;
  const isTask = headerOf(exchange, "x-openwebui-task") !== undefined || taskStart.test(prompt);
  return isTask ? undefined : chatPrefix + chatId;
}

function headerOf({ headers }: Exchange, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the user in a token that Open WebUI has signed with HS256. */
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
