import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport, uiMessageChunkSchema } from "ai";
import type { HttpChatTransportInitOptions, UIMessage, UIMessageChunk } from "ai";
import type { ServiceClient } from "./service.ts";

/** A chat of the AI SDK with a served agent or team, and the chunks that it has got. */
export type TestChat = { chat: Chat<UIMessage>; chunks: UIMessageChunk[]; bodies: Record<string, unknown>[] };

type ChatOptions = Partial<ConstructorParameters<typeof Chat<UIMessage>>[0]> &
  Pick<HttpChatTransportInitOptions<UIMessage>, "headers" | "body" | "prepareSendMessagesRequest"> & {
    /** The number of bytes that each read of an answer gets. @default as they come */
    pieceSize?: number;
    query?: string;
  };

/** Makes a chat that checks each chunk by the SDK's own schema and keeps it. */
export function openChat({ port }: Pick<ServiceClient, "port">, path: string, options: ChatOptions = {}): TestChat {
  const { headers, body, prepareSendMessagesRequest, pieceSize, query = "", ...init } = options;
  const chunks: UIMessageChunk[] = [];
  const bodies: Record<string, unknown>[] = [];
  const watchedFetch: typeof fetch = async (input, request) => {
    if (typeof request?.body === "string") bodies.push(JSON.parse(request.body) as Record<string, unknown>);
    const response = await fetch(input, request);
    if (!response.ok || response.body === null) return response;
    const reader = new ChunkReader(chunks);
    const pieces = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(bytes, controller) {
          reader.add(bytes);
          const size = pieceSize ?? bytes.length;
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        },
        flush: () => reader.check(),
      }),
    );
    return new Response(pieces, response);
  };
  const transport = new DefaultChatTransport<UIMessage>({
    api: `http://127.0.0.1:${port}${path}${query}`,
    fetch: watchedFetch,
    ...(headers !== undefined && { headers }),
    ...(body !== undefined && { body }),
    ...(prepareSendMessagesRequest !== undefined && { prepareSendMessagesRequest }),
  });
  return { chat: new Chat<UIMessage>({ ...init, transport }), chunks, bodies };
}

/** Reads the chunks of an answer, apart from the SDK. */
class ChunkReader {
  readonly #chunks: UIMessageChunk[];
  readonly #decoder = new TextDecoder();
  #rest = "";
  #isDone = false;

  constructor(chunks: UIMessageChunk[]) {
    this.#chunks = chunks;
  }

  add(bytes: Uint8Array): void {
    const blocks = (this.#rest + this.#decoder.decode(bytes, { stream: true })).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) this.#read(block);
  }

  #read(block: string): void {
    if (block.startsWith(":")) return;
    const [, data = ""] = /^data: ([^\n]*)$/.exec(block) ?? [];
    if (data === "[DONE]") this.#isDone = true;
    else this.#chunks.push(JSON.parse(data) as UIMessageChunk);
  }

  check(): void {
    if (this.#rest !== "" || !this.#isDone) throw new Error("The stream has no whole end.");
  }
}

/** Checks chunks by the schema of the SDK, which refuses a whole stream for one that is wrong. */
export async function checkChunks(chunks: readonly UIMessageChunk[]): Promise<void> {
  const schema = uiMessageChunkSchema();
  for (const chunk of chunks) {
    const checked = await schema.validate?.(chunk);
    if (checked?.success !== true)
      throw new Error(`The SDK refuses ${JSON.stringify(chunk)}.`, { cause: checked?.error });
  }
}

/** Returns the types of chunks, in their order. */
export function typesOf(chunks: readonly UIMessageChunk[]): string[] {
  return chunks.map(({ type }) => type);
}

/** Returns the text of the last message of a chat. */
export function lastText({ chat }: TestChat): string {
  return (chat.messages.at(-1)?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
