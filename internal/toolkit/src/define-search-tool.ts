import { defineTool } from "@troupe/core";
import type { Json, ToolDef } from "@troupe/core";
import {
  countParameter,
  queryParameter,
  readMaxResults,
  readTextArgument,
  readTimeRange,
  timeRangeParameter,
} from "./arguments.ts";
import type { TimeRange } from "./arguments.ts";
import { toHitsResult } from "./hits.ts";
import type { Ask, Service } from "./service.ts";
import { toolTimeoutMs } from "./toolkit-options.ts";

/** A model's call of a search tool, for at most `count` results. */
export type Search = {
  readonly query: string;
  readonly count: number;
  readonly timeRange: TimeRange | undefined;
  readonly signal: AbortSignal | undefined;
};

/** A search tool: its texts for the model, its limits, and the function that finds results. */
export type SearchTool<Hit> = {
  readonly name: string;
  readonly description: string;
  readonly queryDescription: string;
  /** The word for results in the description of `maxResults`. */
  readonly hitsName: string;
  /** The schema of `timeRange`. @default day, week, month or year */
  readonly timeRange?: object | undefined;
  readonly service: Service;
  readonly maxResults: number;
  readonly timeoutMs: number;
  /** Finds results. Only the first `count` of them are used. */
  readonly find: (ask: Ask, search: Search) => Promise<readonly Hit[]>;
};

/** Makes a search tool with the arguments `query`, `maxResults` and `timeRange`. */
export function defineSearchTool<Hit extends { [name: string]: Json | undefined }>(search: SearchTool<Hit>): ToolDef {
  const { name, description, service, maxResults, timeoutMs, find } = search;
  return defineTool({
    name,
    description,
    parameters: {
      type: "object",
      properties: {
        query: queryParameter(search.queryDescription),
        maxResults: countParameter(maxResults, search.hitsName),
        timeRange: search.timeRange ?? timeRangeParameter,
      },
      required: ["query"],
      additionalProperties: false,
    },
    effect: "pure",
    timeoutMs: toolTimeoutMs(timeoutMs),
    execute: (args, { signal }) =>
      service.call(signal, async (ask) => {
        const query = readTextArgument(args, "query");
        const count = readMaxResults(args, maxResults);
        const hits = await find(ask, { query, count, timeRange: readTimeRange(args), signal });
        return toHitsResult({ service: service.name, query, hits: hits.slice(0, count) });
      }),
  });
}
