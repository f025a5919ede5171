import type { Source } from "@troupe/core";
import { readObject, readObjects } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";
import type { WireCompletion, WireMessage } from "./wire-types.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns the sources that a message, or a delta of a stream, cites: pages and files. */
export function citedSources({ annotations, citations }: WireMessage): Source[] {
  return [...readObjects(annotations).flatMap(annotatedSource), ...listOf(citations).flatMap(listedSource)];
}

/**
 * Returns the sources that a server lists beside the answer, each page once. In a stream, the server may repeat the
 * list in each delta. Search results have titles; citations may be plain addresses.
 */
export function listedSources({ citations, search_results: results }: WireCompletion): Source[] {
  const byUrl = new Map<string | undefined, Source>();
  for (const source of [...listOf(results), ...listOf(citations)].flatMap(listedSource)) {
    if (!byUrl.has(source.url)) byUrl.set(source.url, source);
  }
  return [...byUrl.values()];
}

/**
 * Converts an annotation of a Chat Completions message to sources. Its fields are below the name of its kind; some
 * servers omit that level.
 */
function annotatedSource(annotation: Fields): Source[] {
  const { url_citation: page, file_citation: file } = annotation;
  const { url, title, file_id: id, filename } = readObject(page ?? file ?? annotation);
  return readSource({ id, url, title: title ?? filename });
}

function listedSource(listed: unknown): Source[] {
  if (typeof listed === "string") return readSource({ url: listed });
  const { url, title } = readObject(listed);
  return readSource({ url, title });
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
