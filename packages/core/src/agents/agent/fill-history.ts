import type { ContentPart } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { storedDataReferenceOf } from "../../base/message/stored-data.ts";
import type { ModelMessage } from "../../model/vendor-state.ts";

/** Function that returns messages together with the data of their images, audio and files, ready to send to a model. */
export type FillMessages = (messages: readonly ModelMessage[]) => Promise<readonly ModelMessage[]>;

/**
 * Returns a function that reads images, audio and files of the history, each once, when their message is sent. Returns
 * undefined if the history has none that are stored outside its messages.
 */
export function historyFiller(
  history: readonly ChatMessage[],
  load: (part: ContentPart) => Promise<ContentPart>,
): FillMessages | undefined {
  if (!history.some(hasStoredData)) return undefined;
  const loaded = new Map<ContentPart, Promise<ContentPart>>();
  const fillPart = async (part: ContentPart): Promise<ContentPart> => {
    if (storedDataReferenceOf(part) === undefined) return part;
    const filled = loaded.get(part) ?? load(part);
    loaded.set(part, filled);
    return await filled;
  };
  return async (messages) => {
    const filled: ModelMessage[] = [];
    for (const message of messages) {
      const { content } = message;
      if (!hasStoredData(message) || !Array.isArray(content)) filled.push(message);
      else filled.push({ ...message, content: await Promise.all(content.map(fillPart)) });
    }
    return filled;
  };
}

function hasStoredData({ content }: ChatMessage): boolean {
  return Array.isArray(content) && content.some((part) => storedDataReferenceOf(part) !== undefined);
}
