import { join } from "node:path";
import { FakeService, recordings } from "@troupe-internal/toolkit-fakes";
import type { Answer } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import { HackerNewsToolkit } from "../src/index.ts";
import type { HackerNewsOptions } from "../src/index.ts";

/** Reads a recorded answer of the API by its name. */
export const recorded = recordings(join(import.meta.dirname, "__fixtures__"));

/** Answers of the API by their paths. */
const answers: Readonly<Record<string, string>> = {
  "/v0/topstories.json": "topstories",
  "/v0/item/8863.json": "item-story",
  "/v0/item/121003.json": "item-ask",
  "/v0/item/9001.json": "item-deleted",
  "/v0/item/9002.json": "item-dead",
  "/v0/item/9003.json": "item-missing",
  "/v0/item/192327.json": "item-job",
  "/v0/user/jl.json": "user",
};

/** Answers as the API does; a path beyond `answers` is missing, which is `null`. */
export const answer: Answer = ({ path }) => recorded(answers[path] ?? "user-missing");

/** Starts a fake of the API that stops with the test, and makes a toolkit for it. */
export async function startHackerNews(options: HackerNewsOptions = {}) {
  const service = (await FakeService.start()).answer(answer);
  onTestFinished(() => service.close());
  return { service, toolkit: new HackerNewsToolkit({ baseURL: service.url, ...options }) };
}
