import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contextWith, FakeService, recordings, toolOf } from "@troupe-internal/toolkit-fakes";
import type { Answer } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { GmailToolkit } from "../src/index.ts";
import type { GmailOptions } from "../src/index.ts";

/** Reads a recorded answer of Gmail or of Google's authorization server by its name. */
export const recorded = recordings(join(import.meta.dirname, "__fixtures__"));

const answers: Readonly<Record<string, string>> = {
  "/gmail/v1/users/me/messages/send": "sent",
  "/gmail/v1/users/me/messages": "list",
  "/gmail/v1/users/me/messages/18c1a2b3c4d5e6f1": "metadata-1",
  "/gmail/v1/users/me/messages/18c1a2b3c4d5e6f2": "metadata-2",
};

/** Answers as Gmail does: a search finds two mails, of which the first can be read. */
export const answer: Answer = ({ path, query }) =>
  recorded(query.get("format") === "full" ? "message" : (answers[path] ?? "error-404"));

/** Starts a fake of Gmail that stops with the test, and returns it with a function that calls a tool. */
export async function startGmail(options: Partial<GmailOptions> = {}) {
  const service = (await FakeService.start()).answer(answer);
  onTestFinished(() => service.close());
  const isOwnToken = options.tokenPath === undefined;
  const toolkit = new GmailToolkit({
    ...(isOwnToken && { authClient: { getAccessToken: async () => await Promise.resolve("ya29.token") } }),
    baseURL: service.url,
    ...options,
  });
  const call = async (tool: string, args: Record<string, unknown>, context = contextWith()) =>
    await (await toolOf(toolkit, tool)).execute(args, context);
  return { service, toolkit, call };
}

/** Makes a folder that is removed after the test, and returns a function that writes a JSON file into it. */
export function startFolder() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-gmail-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  return { folder, write };
}

type Plain = Record<string, unknown> & {
  content: { results: { id: string }[] };
  artifacts: { data: { hits: unknown } }[];
};

/** Returns the result of a tool for a test to read. */
export function toPlain(result: unknown): Plain {
  return result as Plain;
}
