import { join } from "node:path";
import type { ToolResult } from "@troupe/core";
import { contextWith, FakeService, recordings, toolOf } from "@troupe-internal/toolkit-fakes";
import type { Answer } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { DuckDuckGoToolkit } from "../src/index.ts";
import type { DuckDuckGoOptions } from "../src/index.ts";

/** Reads a recorded answer of DuckDuckGo by its name. */
export const recorded = recordings(join(import.meta.dirname, "__fixtures__"));

/** Names of recorded answers by their paths. */
type Answers = Readonly<Record<string, string>>;

const usual: Answers = { "/html/": "html-results", "/lite/": "lite-results", "/": "news-page", "/news.js": "news" };

/** Answers as DuckDuckGo does, by path. */
export function answerWith(answers: Answers = {}): Answer {
  return ({ path }) => recorded({ ...usual, ...answers }[path] ?? "unknown-page");
}

/** Starts a fake of DuckDuckGo that stops with the test, and returns a function that calls a tool of a toolkit for it. */
export async function startDuckDuckGo(answers: Answers = {}, options: DuckDuckGoOptions = {}) {
  const service = (await FakeService.start()).answer(answerWith(answers));
  onTestFinished(() => service.close());
  const toolkit = new DuckDuckGoToolkit({ baseURL: service.url, ...options });
  const call = async (name: string, args: Record<string, unknown>) =>
    (await (await toolOf(toolkit, name)).execute(args, contextWith())) as ToolResult;
  return { service, call };
}
