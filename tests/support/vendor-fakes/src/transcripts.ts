import { readdirSync, readFileSync } from "node:fs";
import type { VendorReply } from "./dialect.ts";

const folder = new URL("../wire/", import.meta.url);

/** Returns the file names of all recorded answers. */
export function transcriptNames(): string[] {
  return readdirSync(folder).toSorted();
}

/** Reads a recorded answer, byte for byte. */
export function readTranscript(name: string): VendorReply {
  const contentType = name.endsWith(".ndjson") ? "application/x-ndjson" : "text/event-stream";
  return { status: 200, headers: { "content-type": contentType }, frames: [readFileSync(new URL(name, folder))] };
}
