import type { RoutedRequest } from "../dialect.ts";
import { citedPages } from "../hosted-calls.ts";
import type { HostedCall, HostedPage } from "../hosted-calls.ts";
import { objectOf, objectsIn, stringOf } from "../json-body.ts";
import type { JsonObject } from "../json-body.ts";
import { sign } from "../signature.ts";
import type { AnswerBlocks } from "../answer-blocks.ts";

const names = { web_search: "web_search", code: "code_execution" } as const;

/** A block of one of the vendor's own tools. */
export type HostedBlock = { type: string; [field: string]: unknown };

/**
 * Returns the blocks of the vendor's own tools: calls and results. A paused answer ends with a call without a result.
 * The answer to the continuing request begins with that result.
 */
export function hostedBlocks({ hosted, finishReason }: AnswerBlocks, { request }: RoutedRequest): HostedBlock[] {
  const [waiting] = openCalls(objectsIn(objectOf(request.body)["messages"]).at(-1));
  const isPaused = finishReason === "other";
  return hosted.flatMap((call, index) => {
    const isContinued = index === 0 && waiting !== undefined;
    const id = isContinued ? waiting["id"] : `srvtoolu_${sign("hosted", request.body, index)}`;
    const use = { type: "server_tool_use", id, name: names[call.tool], input: inputOf(call) };
    const isOpen = isPaused && index === hosted.length - 1;
    return [...(isContinued ? [] : [use]), ...(isOpen ? [] : [resultOf(call, id)])];
  });
}

/** Returns the calls of the vendor's own tools in a message that have no result in it. */
export function openCalls(message: JsonObject | undefined): JsonObject[] {
  const blocks = objectsIn(message?.["content"]);
  const done = blocks.map((block) => block["tool_use_id"]);
  return blocks.filter(({ type, id }) => type === "server_tool_use" && !done.includes(id));
}

/** Returns the citations of the text of an answer. */
export function citationsIn({ hosted }: AnswerBlocks): object[] {
  return citedPages(hosted).map((page) => ({
    type: "web_search_result_location",
    ...page,
    cited_text: "Weather",
    encrypted_index: encryptedIndex(page.url),
  }));
}

/** Returns the field of an answer that names the container in which its code ran. */
export function containerOf({ hosted }: AnswerBlocks): object {
  const ranCode = hosted.some(({ tool }) => tool === "code");
  return { container: ranCode ? { id: "container_1", expires_at: "2030-01-01T00:00:00Z" } : null };
}

/** Returns the encrypted content of a page that a search found. */
export function encryptedPage(url: unknown, title: unknown): string {
  return `page_${sign("page", url, title)}`;
}

/** Returns the encrypted reference of a citation to its page. */
export function encryptedIndex(url: unknown): string {
  return `index_${sign("index", stringOf(url))}`;
}

function inputOf(call: HostedCall): JsonObject {
  return call.tool === "web_search" ? { query: call.query } : { code: call.code };
}

function resultOf(call: HostedCall, id: unknown): HostedBlock {
  const type = `${names[call.tool]}_tool_result`;
  if (call.tool === "web_search") return { type, tool_use_id: id, content: call.pages.map(toResult) };
  const content = { type: "code_execution_result", stdout: call.output, stderr: "", return_code: 0, content: [] };
  return { type, tool_use_id: id, content };
}

function toResult({ url, title }: HostedPage): object {
  return { type: "web_search_result", url, title, encrypted_content: encryptedPage(url, title), page_age: null };
}
