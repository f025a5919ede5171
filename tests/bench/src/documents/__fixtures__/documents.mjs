// The protocol of a measured process: it is told a number of documents and of searches, stores the documents, searches them,
// and answers with what that cost. The documents and the embeddings are the same for each product.
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");

export const dimensions = 1536;
const batch = 1000;

/** Returns the version of a package that is installed beside this file's folder. */
export function versionOf(name) {
  const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8")).version;
}

/** Processor time of the embeddings so far, which is not the product's. */
let embeddingUs = 0;

/**
 * Embeds a text without a model: each word adds to two numbers of the vector, whose length is 1. It adds a fraction of its
 * own, so that hardly any two documents are equally near.
 */
export function embed(text) {
  const before = process.threadCpuUsage();
  const vector = Array.from({ length: dimensions }, () => 0);
  for (const word of text.toLowerCase().split(/\W+/)) {
    const hash = hashOf(word);
    vector[hash % dimensions] += 1 + (hash % 9973) / 9973;
    vector[(hash >>> 16) % dimensions] += (hash % 7919) / 7919;
  }
  const length = Math.hypot(...vector);
  for (let index = 0; index < dimensions; index++) vector[index] /= length;
  const { user, system } = process.threadCpuUsage(before);
  embeddingUs += user + system;
  return vector;
}

function hashOf(word) {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

/** Returns document number `index`: 100 words in three paragraphs. A hundredth of the documents has the same `part`. */
function newDocument(index) {
  let state = (index + 1) * 2_654_435_761;
  const word = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Squared, so that some words are common and most are rare.
    return `word${Math.floor((state / 2 ** 32) ** 2 * 20_000)}`;
  };
  const paragraph = () => `${Array.from({ length: 33 }, word).join(" ")}.`;
  const content = `Document ${index}.\n\n${paragraph()}\n\n${paragraph()}\n\n${paragraph()}`;
  return { id: `d${index}`, content, metadata: { part: index % 100 } };
}

/** Returns the text of search number `index`: words of one document. */
function newQuery(index, count) {
  return newDocument((index * 7919) % count)
    .content.split(/\s+/)
    .slice(2, 14)
    .join(" ");
}

/** Answers the order of the bench. Searches return the texts that they find, best first. */
export function answerCosts(version, { add, search, searchPart, searchBoth, close }) {
  process.once("message", async ({ count, searches }) => {
    try {
      // The embeddings and the documents are compiled before, because each product would have to pay for that.
      for (let index = 0; index < 500; index++) embed(newDocument(index).content);
      const before = memory();
      let addMs = 0;
      for (let first = 0; first < count; first += batch) {
        const size = Math.min(batch, count - first);
        const documents = Array.from({ length: size }, (_, index) => newDocument(first + index));
        addMs += (await costOf(async () => await add(documents))).cpuMs;
      }
      const stored = memoryBeside(before);
      const queries = Array.from({ length: searches }, (_, index) => newQuery(index, count));
      const found = [];
      const each = (find) => async () => {
        for (const query of queries) found.push(await find(query));
      };
      // The first search of each kind may prepare something.
      const firstMs = (await costOf(async () => await search(queries[0]))).cpuMs;
      const all = await costOf(each(search));
      const results = found.splice(0).map((texts) => texts.map((text) => text.slice(0, text.indexOf("\n"))));
      await searchPart(queries[0]);
      const part = await costOf(each(searchPart));
      const partResults = found.splice(0).map((texts) => texts.map((text) => text.slice(0, text.indexOf("\n"))));
      const indexing = searchBoth && (await costOf(async () => await searchBoth(queries[0])));
      const both = searchBoth && (await costOf(each(searchBoth)));
      const searched = memoryBeside(before);
      await close?.();
      process.send(
        {
          version,
          results,
          partResults,
          addMs: addMs / (count / 1000),
          firstMs,
          searchMs: all.cpuMs / searches,
          partMs: part.cpuMs / searches,
          ...(both && { indexingMs: indexing.cpuMs / (count / 1000), bothMs: both.cpuMs / searches }),
          stored,
          searched,
        },
        () => process.disconnect(),
      );
    } catch (error) {
      process.send({ failure: String(error?.stack ?? error) }, () => process.disconnect());
    }
  });
}

/** Returns the processor time of work in milliseconds, in all threads of the process, without that of the embeddings. */
async function costOf(work) {
  const [before, embedded] = [process.cpuUsage(), embeddingUs];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system - (embeddingUs - embedded)) / 1000 };
}

function memory() {
  collectGarbage();
  collectGarbage();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed + external, rss };
}

/** Returns what the process has more than before, in megabytes, and the most that it had. */
function memoryBeside(before) {
  const now = memory();
  const toMb = (bytes) => bytes / 2 ** 20;
  return {
    heapMb: toMb(now.heap - before.heap),
    rssMb: toMb(now.rss - before.rss),
    mostMb: process.resourceUsage().maxRSS / 1024 - toMb(before.rss),
  };
}
