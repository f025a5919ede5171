import type { Dialect, OwnDialect, RoutedRequest, VendorRequest } from "./dialect.ts";
import { anthropic } from "./dialects/anthropic.ts";
import { google } from "./dialects/google.ts";
import { ollama } from "./dialects/ollama.ts";
import { openaiChat } from "./dialects/openai-chat.ts";
import { openaiResponses } from "./dialects/openai-responses.ts";

const dialects: readonly Dialect[] = [openaiResponses, openaiChat, anthropic, google, ollama];

/** A request with its dialect and route. */
export type KnownRequest = RoutedRequest & { dialect: OwnDialect & Partial<Pick<Dialect, "name">> };

/**
 * Finds the dialect of a request, or returns `undefined` if no vendor has the route. All routes are POST. A dialect of
 * the test is tried first.
 */
export function findDialect(request: VendorRequest, own?: OwnDialect): KnownRequest | undefined {
  if (request.method !== "POST") return undefined;
  for (const dialect of own === undefined ? dialects : [own, ...dialects]) {
    const route = dialect.route(request);
    if (route !== undefined) return { dialect, route, request };
  }
  return undefined;
}
