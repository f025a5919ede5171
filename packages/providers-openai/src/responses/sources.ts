import type { Source } from "@troupe/core";
import { readObject, readObjects } from "@troupe/core/kit";
import { readSource } from "@troupe/core/provider";
import type { OutputItem } from "./wire-types.ts";

/** Types of items that a model makes itself. All other items are calls of the vendor's own tools. */
const ownTypes: readonly unknown[] = ["message", "reasoning", "function_call", undefined];

/** Returns true if an item is a call of one of the vendor's own tools, such as a web search. */
export function isHosted({ type }: OutputItem): boolean {
  return !ownTypes.includes(type);
}

/** Returns the sources in a finished item: pages and files that a vendor's tool found, or that a text cites. */
export function sourcesIn({ type, id, content, action, results }: OutputItem): Source[] {
  if (type === "message") {
    return readObjects(content).flatMap(({ annotations }) => readObjects(annotations).flatMap(citedSource));
  }
  const found = [...readObjects(readObject(action)["sources"]), ...readObjects(results)];
  return found.flatMap(({ url, title, file_id: fileId, filename }) =>
    readSource({ id: fileId, url, title: title ?? filename, toolCallId: id }),
  );
}

/** Returns the source of an annotation: a page or a file. */
function citedSource(annotation: Readonly<Record<string, unknown>>): Source[] {
  const { url, title, file_id: id, filename } = annotation;
  return readSource({ id, url, title: title ?? filename });
}
