import type { RoutedRequest, Dialect, VendorRequest } from "./dialect.ts";
import { anthropic } from "./dialects/anthropic.ts";
import { google } from "./dialects/google.ts";
import { ollama } from "./dialects/ollama.ts";
import { openaiChat } from "./dialects/openai-chat.ts";
import { openaiResponses } from "./dialects/openai-responses.ts";

const dialects: readonly Dialect[] = [openaiResponses, openaiChat, anthropic, google, ollama];

/** A request with its dialect and route. */
export type KnownRequest = RoutedRequest & { dialect: Dialect };

/** Finds the dialect of a request, or returns `undefined` when no vendor has such a route. All routes are POST. */
export function findDialect(request: VendorRequest): KnownRequest | undefined {
  if (request.method !== "POST") return undefined;
  for (const dialect of dialects) {
    const route = dialect.route(request);
    if (route !== undefined) return { dialect, route, request };
  }
  return undefined;
}
