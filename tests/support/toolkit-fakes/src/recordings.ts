import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { FakeReply } from "./fake-service.ts";

/**
 * Returns a function that reads a recorded answer from a folder by name: `name.http` contains the status line, the
 * headers, an empty line and the body, byte for byte.
 */
export function recordings(folder: string): (name: string) => FakeReply {
  return (name) => parseRecording(readFileSync(join(folder, `${name}.http`)));
}

/** Returns the names of the recorded answers in a folder. */
export function recordingNames(folder: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".http"));
  return files.map((file) => file.slice(0, -".http".length)).toSorted();
}

/** Parses the bytes of a recorded answer. The lines of its head end in CR LF or LF. */
function parseRecording(bytes: Uint8Array): FakeReply {
  const text = Buffer.from(bytes).toString("latin1");
  const [head = "", gap = ""] = /^[\s\S]*?(\r?\n\r?\n)/.exec(text) ?? [];
  const [first = "", ...lines] = head.slice(0, -gap.length || undefined).split(/\r?\n/);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error("A recorded answer must begin with a status line: HTTP/1.1 200 OK.");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status, headers, body: bytes.subarray(head.length) };
}
