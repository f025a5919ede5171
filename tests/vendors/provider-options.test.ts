import { readFileSync } from "node:fs";
import { anthropic } from "@troupe/providers-anthropic";
import { google, googleEmbeddings } from "@troupe/providers-google";
import { ollama, ollamaEmbeddings } from "@troupe/providers-ollama";
import { openai, openaiEmbeddings } from "@troupe/providers-openai";
import { vertex, vertexEmbeddings } from "@troupe/providers-vertex";
import { expect, it } from "vitest";

type Create = (options: object) => unknown;

/** Each provider of models, and its embeddings where it has some. */
const providers: Readonly<Record<string, { model: Create; embeddings?: readonly [name: string, create: Create] }>> = {
  openai: { model: (options) => openai("m", options), embeddings: ["openaiEmbeddings", openaiEmbeddings] },
  anthropic: { model: (options) => anthropic("m", options) },
  google: { model: (options) => google("m", options), embeddings: ["googleEmbeddings", googleEmbeddings] },
  vertex: { model: (options) => vertex("m", options), embeddings: ["vertexEmbeddings", vertexEmbeddings] },
  ollama: {
    model: (options) => ollama("m", options),
    embeddings: ["ollamaEmbeddings", (options) => ollamaEmbeddings("m", options)],
  },
};

/** Returns the names of the options that a function takes, as it tells when it gets another one. */
function optionsOf(create: Create): string[] {
  try {
    create({ nothing: 1 });
  } catch (error) {
    const [, names = ""] = /Expected (.*)\.$/.exec((error as Error).message) ?? [];
    return names.split(/, | or /);
  }
  return [];
}

/** Returns the names that all lists have. */
function commonOf(lists: readonly string[][]): string[] {
  const [first = [], ...others] = lists;
  return first.filter((name) => others.every((list) => list.includes(name)));
}

const all = Object.entries(providers);
const ofModels = commonOf(all.map(([, { model }]) => optionsOf(model)));
const ofEmbeddings = commonOf(all.flatMap(([, { embeddings }]) => (embeddings ? [optionsOf(embeddings[1])] : [])));
const inCode = (names: readonly string[]) => names.toSorted().map((name) => `\`${name}\``);

/** Returns the options of a function beside the common ones. */
function ownOf(create: Create, common: readonly string[]): string {
  const own = optionsOf(create).filter((name) => !common.includes(name));
  return own.length === 0 ? "–" : inCode(own).join(", ");
}

/** Returns the rows of the README: the options of each provider beside those that all have. */
function rows(): string[] {
  return all.map(([name, { model, embeddings }]) => {
    const embedding = embeddings === undefined ? "–" : `\`${embeddings[0]}\`: ${ownOf(embeddings[1], ofEmbeddings)}`;
    return `| \`${name}\` | ${ownOf(model, ofModels)} | ${embedding} |`;
  });
}

it("the README has the options of all providers, and of each", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  const bare = readme.replaceAll(/ +\|/g, " |").replaceAll("\n", " ");

  expect(bare).toContain(`Every provider of models takes ${inCode(ofModels).join(", ")}.`);
  expect(bare).toContain(`Every provider of embeddings takes ${inCode(ofEmbeddings).join(", ")}.`);
  for (const row of rows()) expect(bare).toContain(row);
});
