import { join } from "node:path";
import { FakeService, recordings } from "@troupe-internal/toolkit-fakes";
import { onTestFinished } from "vitest";
import type { ServedDemo } from "./serve-demo.ts";
import { post } from "./start-demo.ts";

/** The folder of the packages, whose fixtures the fakes answer with. */
export const packages = join(import.meta.dirname, "../../../../packages");
const ofDuckDuckGo = recordings(join(packages, "toolkits-duckduckgo/test/__fixtures__"));
const ofHackerNews = recordings(join(packages, "toolkits-hackernews/test/__fixtures__"));

/** Starts fakes of both services, which answer with what was recorded of the real ones. */
export async function startServices(): Promise<{ duckDuckGo: FakeService; hackerNews: FakeService }> {
  const [duckDuckGo, hackerNews] = [await FakeService.start(), await FakeService.start()];
  onTestFinished(async () => void (await Promise.all([duckDuckGo.close(), hackerNews.close()])));
  duckDuckGo.answer(() => ofDuckDuckGo("html-results"));
  const stories: Readonly<Record<string, string>> = { topstories: "topstories", "8863": "item-story", jl: "user" };
  hackerNews.answer(({ path }) => ofHackerNews(stories[/(\w+)\.json$/.exec(path)?.[1] ?? ""] ?? "item-missing"));
  return { duckDuckGo, hackerNews };
}

/** The output of a run, as far as the tests look at it. */
type Output = { readonly text?: string; readonly structured?: unknown; readonly toolCalls?: readonly unknown[] };

/** Posts a body to a path of the demo, and returns the status and the JSON of the answer. */
export async function run({ url }: ServedDemo, path: string, body: unknown) {
  const response = await fetch(`${url}${path}`, post(body));
  return { status: response.status, json: (await response.json()) as Output };
}
