import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { CanarySearch } from "@troupe-internal/vendor-fakes";
import type { Visited, VisitOptions, VisitResult } from "./visit.ts";

const keyHeaders = [
  "x-openai-api-key",
  "x-anthropic-api-key",
  "x-google-api-key",
  "x-api-key",
  "authorization",
  "cookie",
];
const paths = [
  "/agents/assistant/run",
  "/agents/openai-assistant/run",
  "/agents/claude-assistant/stream",
  "/agents/gemini-assistant/run",
  "/teams/travel-desk/stream",
  "/workflows/morning-briefing/run",
  "/nowhere",
];

/** Sends secrets where callers put keys, and searches every answer, the log and the stored files for them. */
export async function visitWithCanaries(
  { url, printed, folder }: Visited,
  { cases }: VisitOptions,
): Promise<VisitResult> {
  const canaries: string[] = [];
  const seen: [string, string][] = [];
  for (let sent = 0; sent < cases; sent++) {
    const canary = `sk-canary-${"x7Qp".repeat(5)}-${sent}-end`;
    canaries.push(canary);
    const [path = "", place] = [paths[sent % paths.length], sent % (keyHeaders.length + 1)];
    const header = keyHeaders[place];
    const body = { input: "Hello?", ...(header === undefined && { apiKey: canary }) };
    const headers = { "content-type": "application/json", ...(header !== undefined && { [header]: canary }) };
    const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
    seen.push([`the answer of ${path}`, `${JSON.stringify([...response.headers])}${await response.text()}`]);
  }
  seen.push(["the log", printed()]);
  for (const file of await readdir(folder))
    seen.push([`the file ${file}`, await readFile(join(folder, file), "latin1")]);
  const search = new CanarySearch(canaries);
  return {
    cases,
    faults: seen.flatMap(([place, text]) =>
      search.in(text).map(({ canary, form }) => `${place} holds ${canary} (${form})`),
    ),
  };
}
