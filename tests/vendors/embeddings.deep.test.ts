import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { InMemoryVectorStore, KnowledgeBase } from "@troupe/core";
import type { EmbeddingProvider } from "@troupe/core";
import { googleEmbeddings } from "@troupe/providers-google";
import { openaiEmbeddings } from "@troupe/providers-openai";
import { describe, expect, inject, it, onTestFinished } from "vitest";

/** Documents of 95,700 characters, each 58 pieces. */
const documentCount = { few: 10, many: 100 }[inject("trials")];

type Case = {
  create: (baseURL: string) => EmbeddingProvider;
  firstBatch: number;
  mostCharacters: number;
  /** Returns the vendor's answer with these vectors. OpenAI promises no order. */
  answer: (vectors: number[][]) => object;
  inputsIn: (body: never) => string[];
};

const cases: Record<string, Case> = {
  openai: {
    create: (baseURL) => openaiEmbeddings({ apiKey: "sk-1", baseURL: `${baseURL}/v1` }),
    firstBatch: 256,
    mostCharacters: 250_000,
    answer: (vectors) => ({ data: vectors.map((embedding, index) => ({ index, embedding })).toReversed() }),
    inputsIn: ({ input }: { input: string[] }) => input,
  },
  google: {
    create: (baseURL) => googleEmbeddings({ apiKey: "sk-1", baseURL, model: "some-embedding" }),
    firstBatch: 100,
    mostCharacters: Infinity,
    answer: (vectors) => ({ embeddings: vectors.map((values) => ({ values })) }),
    inputsIn: ({ requests }: { requests: { content: { parts: { text: string }[] } }[] }) =>
      requests.map(({ content }) => content.parts[0]?.text ?? ""),
  },
};

/** The vector that the vendor has for a string: its length, and its last character. */
const vectorOf = (text: string): number[] => [text.length, text.at(-1)?.codePointAt(0) ?? 0];

describe.each(Object.entries(cases))(
  "embeddings of %s",
  (_name, { create, firstBatch, mostCharacters, answer, inputsIn }) => {
    async function start() {
      const inputs: string[][] = [];
      const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
        const texts = inputsIn((await json(request)) as never);
        inputs.push(texts);
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer(texts.map(vectorOf))));
      };
      const server = createServer((request, response) => void respond(request, response));
      // On a busy machine more than Node's five seconds may lie between two requests of one connection.
      server.keepAliveTimeout = 0;
      await once(server.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      return { embeddings: create(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), inputs };
    }

    it("return the vector of a string, which is sent as it is [embedding.embed]", async () => {
      const { embeddings, inputs } = await start();

      expect(await embeddings.embed(" Rain\n")).toEqual([6, 10]);
      expect(inputs).toEqual([[" Rain\n"]]);
    });

    it("return one vector for each string, in their order, over a second request too [embedding.batch]", async () => {
      const texts = Array.from({ length: firstBatch + 44 }, (_, index) => "x".repeat(index + 1));
      const { embeddings, inputs } = await start();

      const vectors = await embeddings.embedBatch(texts);

      expect(vectors.map(([length]) => length).join()).toBe(texts.map(({ length }) => length).join());
      expect(inputs.map(({ length }) => length)).toEqual([firstBatch, 44]);
    });

    it("get the pieces of many documents within the vendor's limits [knowledge.batches]", async () => {
      const { embeddings, inputs } = await start();
      const content = "It rains in Oslo, and so on. ".repeat(3300);
      const documents = Array.from({ length: documentCount }, (_, index) => ({ id: `d${index}`, content }));
      for (const batchSize of [undefined, 5000]) {
        inputs.length = 0;
        const vectorStore = new InMemoryVectorStore();
        const chunking = { size: 500 };
        const knowledge = new KnowledgeBase({ name: "kb", vectorStore, embeddings, batchSize, chunking });
        await knowledge.addDocuments(documents);

        const texts = inputs.flat();
        expect(texts.length).toBeGreaterThan(50 * documentCount);
        expect(Math.max(...inputs.map(({ length }) => length))).toBeLessThanOrEqual(firstBatch);
        const characters = inputs.map((batch) => batch.join("").length);
        expect(Math.max(...characters)).toBeLessThanOrEqual(mostCharacters);
        expect((await knowledge.get("d5"))?.content === content).toBe(true);
      }
    });
  },
);
