import type * as Client from "@modelcontextprotocol/client";

/** The MCP library, which the first connection imports. */
export type Library = typeof Client;

/** Imports the MCP library. */
export async function loadLibrary(): Promise<Library> {
  return await import("@modelcontextprotocol/client");
}

/** Returns the HTTP status of a library error, or undefined if it has none. */
export function readStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === "number") return status;
  // The SSE transport of 2024 stores the status as `code`. In other errors the server chooses `code`.
  return error.constructor.name === "SseError" && typeof code === "number" ? code : undefined;
}
