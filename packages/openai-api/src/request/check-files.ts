import { TroupeError } from "@troupe/core";
import type { MessageContent } from "@troupe/core";
import { checkDataParts } from "@troupe/core/transport";
import type { SentItem } from "./conversation.ts";

/** The limits of the files in a request. */
export type FileBounds = Parameters<typeof checkDataParts>[1];

/** An item of a request, or the place of an item that is no part of the conversation. */
type Item = SentItem | { readonly type: "approval" } | undefined;

/**
 * Checks the files in the items of a request, and in the results of its client's tools, against the limits of the
 * protocol. Throws an error that names the item in the field `param`.
 */
export function checkFiles(items: readonly Item[], param: string, files: FileBounds | undefined): void {
  if (files === undefined) return;
  for (const [index, item] of items.entries()) {
    const [field, content] = contentOf(item, param);
    const place = `${param}[${index}].${field}`;
    try {
      checkDataParts({ input: content }, files);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      const message = error.message.replace(/^input/, place);
      throw new TroupeError(error.code, message, { fields: { ...error.fields, param: place } });
    }
  }
}

/** Returns the field of an item that has its content, and the content. Chat Completions name a tool's result `content`. */
function contentOf(item: Item, param: string): readonly [field: string, content: MessageContent | null | undefined] {
  if (item?.type === "message") return ["content", item.message.content];
  if (item?.type === "output") return [param === "messages" ? "content" : "output", item.output.output];
  return ["content", undefined];
}
