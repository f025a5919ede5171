import { readFileSync } from "node:fs";
import { anthropic } from "@troupe/providers-anthropic";
import { bedrock } from "@troupe/providers-bedrock";
import { google, googleEmbeddings } from "@troupe/providers-google";
import { ollama, ollamaEmbeddings } from "@troupe/providers-ollama";
import { openai, openaiEmbeddings } from "@troupe/providers-openai";
import { vertex, vertexEmbeddings } from "@troupe/providers-vertex";
import { expect, it } from "vitest";

type Create = (options: object) => unknown;

/** The option types of all providers, each with its package and a function that takes it. */
const optionTypes: readonly (readonly [type: string, provider: string, create: Create])[] = [
  ["OpenAIOptions", "openai", (options) => openai("m", options)],
  ["OpenAIEmbeddingsOptions", "openai", openaiEmbeddings],
  ["AnthropicOptions", "anthropic", (options) => anthropic("m", options)],
  ["BedrockOptions", "bedrock", (options) => bedrock("m", options)],
  ["GoogleOptions", "google", (options) => google("m", options)],
  ["GoogleEmbeddingsOptions", "google", googleEmbeddings],
  ["VertexOptions", "vertex", (options) => vertex("m", options)],
  ["VertexEmbeddingsOptions", "vertex", vertexEmbeddings],
  ["OllamaOptions", "ollama", (options) => ollama("m", options)],
  ["OllamaEmbeddingsOptions", "ollama", (options) => ollamaEmbeddings("m", options)],
];

/** Returns the names of the options that a function takes, which it lists when it gets another one. */
function acceptedBy(create: Create): string[] {
  try {
    create({ nothing: 1 });
  } catch (error) {
    const [, names = ""] = /Expected (.*)\.$/.exec((error as Error).message) ?? [];
    return names.split(/, | or /);
  }
  return [];
}

/** Returns the names of the options in the table of a type. */
function documented(page: string, type: string): string[] {
  const section = page.split(`\n## ${type}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name);
}

it.each(optionTypes)(
  "the reference lists exactly the options of %s that the provider accepts",
  (type, provider, create) => {
    const page = readFileSync(new URL(`../../docs/reference/providers-${provider}.md`, import.meta.url), "utf8");

    expect(documented(page, type).toSorted()).toEqual(acceptedBy(create).toSorted());
  },
);
