import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import type { AddressInfo } from "node:net";

// In place of a server with a model: vectors of the letters of each text.
const answer = async (request: IncomingMessage, response: ServerResponse) => {
  const { input, model } = (await json(request)) as { input: string[]; model: string };
  const vectorOf = (text: string) => Array.from("aeinorst", (letter) => 1 + text.split(letter).length);
  const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ object: "list", data, model, usage: { prompt_tokens: 1, total_tokens: 1 } }));
};
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1");
await once(server, "listening");
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;

// #region readme
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import { openaiEmbeddings } from "@troupe/providers-openai";

const embeddings = openaiEmbeddings({ baseURL, model: "e5", apiKey: "none" });
const handbook = new KnowledgeBase({ name: "handbook", vectorStore: new InMemoryVectorStore({ embeddings }) });
await handbook.add({ id: "vacation", content: "Everyone has 25 days of vacation a year." });

const [best] = await handbook.search("vacation", { topK: 1 });
// #endregion

assert.equal(best?.document.id, "vacation");
await handbook.close();
server.close();
