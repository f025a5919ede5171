import { defineTool } from "@troupe/core";
import type { ToolDef } from "@troupe/core";
import { mapBounded, sumCounts, readObject } from "@troupe/core/kit";
import {
  cleanText,
  cleanUrl,
  countParameter,
  explainKeyless,
  htmlToText,
  readMaxResults,
} from "@troupe-internal/toolkit";
import { toHitsResult, toIsoTime, toolTimeoutMs } from "@troupe-internal/toolkit";
import type { Ask, Service } from "@troupe-internal/toolkit";
import type { HackerNewsStory } from "./results.ts";

/** The Hacker News API that a tool calls, and the time limit of a call in milliseconds. */
export type Access = { service: Service; baseURL: string; timeoutMs: number };

/** Makes the tool `hackernews_top_stories`. */
export function topStoriesTool({ service, baseURL, timeoutMs, maxResults }: Access & { maxResults: number }): ToolDef {
  return defineTool({
    name: "hackernews_top_stories",
    description:
      "Lists the stories that are at the top of Hacker News now, in their order: title, address, score, author, number of comments, time and address of the discussion. It takes no query.",
    parameters: {
      type: "object",
      properties: { maxResults: countParameter(maxResults, "stories") },
      additionalProperties: false,
    },
    effect: "pure",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: (args, { signal }) =>
      service.call(signal, async (ask) => {
        const { stories, failures } = await loadStories(ask, baseURL, readMaxResults(args, maxResults));
        if (stories.length === 0 && failures.length > 0) throw failures[0];
        return toHitsResult({ service: service.name, hits: stories, note: noteOf(stories.length, failures.length) });
      }),
  });
}

function noteOf(found: number, failed: number): string | undefined {
  if (failed > 0) return `${failed} more could not be loaded.`;
  return found === 0 ? "Hacker News lists no stories at the moment." : undefined;
}

type Loaded = { stories: HackerNewsStory[]; failures: unknown[] };

/** Loads the first stories of Hacker News. Skips deleted stories, and loads some of the next stories instead. */
async function loadStories(ask: Ask, baseURL: string, wanted: number): Promise<Loaded> {
  const ids = await loadIds(ask, baseURL);
  const first = await loadSome(ask, baseURL, ids.slice(0, wanted));
  const missing = wanted - first.stories.length - first.failures.length;
  if (missing === 0) return first;
  const more = await loadSome(ask, baseURL, ids.slice(wanted, wanted + missing + spares));
  return {
    stories: [...first.stories, ...more.stories.slice(0, missing)],
    failures: [...first.failures, ...more.failures.slice(0, Math.max(0, missing - more.stories.length))],
  };
}

/**
 * Number of stories that are loaded in addition to the missing stories, because some of these stories may be deleted
 * too.
 */
const spares = 5;

async function loadSome(ask: Ask, baseURL: string, ids: readonly number[]): Promise<Loaded> {
  const items = await mapBounded(ids, async (id) => await loadStory(ask, baseURL, id).catch(toFailure));
  return {
    stories: items.filter((item): item is HackerNewsStory => item !== undefined && !(item instanceof Failure)),
    failures: items.flatMap((item) => (item instanceof Failure ? [item.error] : [])),
  };
}

class Failure {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

function toFailure(error: unknown): Failure {
  return new Failure(error);
}

async function loadIds(ask: Ask, baseURL: string): Promise<number[]> {
  const reply = (await ask({ url: `${baseURL}/v0/topstories.json` })).requireOk(explainKeyless);
  const ids = reply.json();
  if (Array.isArray(ids) && ids.every((id) => Number.isSafeInteger(id) && id > 0)) return ids as number[];
  throw reply.unexpected();
}

/** Loads a story. `undefined` if the story is missing, deleted or dead. */
async function loadStory(ask: Ask, baseURL: string, id: number): Promise<HackerNewsStory | undefined> {
  const reply = (await ask({ url: `${baseURL}/v0/item/${id}.json` })).requireOk(explainKeyless);
  const item = reply.json();
  if (item === null) return undefined;
  const { title, url, text, by, score, descendants, time, deleted, dead } = readObject(item);
  if (deleted === true || dead === true) return undefined;
  if (typeof title !== "string") throw reply.unexpected();
  const discussion = `https://news.ycombinator.com/item?id=${id}`;
  const snippet = htmlToText(text, 300);
  const date = toIsoTime(time);
  return {
    title: htmlToText(title, 200),
    url: cleanUrl(url) ?? discussion,
    ...(snippet !== "" && { snippet }),
    score: sumCounts(score) ?? 0,
    by: cleanText(by, 40),
    comments: sumCounts(descendants) ?? 0,
    ...(date !== undefined && { date }),
    discussion,
  };
}
