import type * as Client from "@modelcontextprotocol/client";

/** The library of the protocol, which is loaded by the first connection. */
export type Library = typeof Client;

/** Loads the library of the protocol. */
export async function loadLibrary(): Promise<Library> {
  return await import("@modelcontextprotocol/client");
}

/** Returns the HTTP status of an error of the library, or undefined if it has none. */
export function readStatus(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { status, code } = error as { status?: unknown; code?: unknown };
  if (typeof status === "number") return status;
  // The transport of 2024 has the status as its code. In other errors the code is the server's word.
  return error.constructor.name === "SseError" && typeof code === "number" ? code : undefined;
}
