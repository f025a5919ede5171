import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import OpenAI from "openai";
import { parse as parseYaml } from "yaml";
import { expect } from "vitest";
import { createService, serve } from "@troupe/core/service";
import { openaiApi } from "@troupe/openai-api";
import type { Case } from "./case.ts";
import { runProgram } from "./run-text.ts";
import { answer } from "./service.ts";
import type { Served } from "./service.ts";

const [page, serving] = ["docs/guide/openai-clients.md", "docs/guide/openai-api.md"];

const local = (text: string, { url }: Served): string => text.replaceAll("http://localhost:3000", url);
const libraries = { OpenAI, createOpenAI, createOpenAICompatible, generateText, apiKey: "none" };

type Settings = { endpoints: { custom: [{ baseURL: string; models: { default: string[] } }] } };

/** Expects that a program of the AI SDK gets the answer as its text. */
async function expectText(text: string, served: Served): Promise<void> {
  expect(await runProgram(local(text, served), libraries)).toMatchObject({ text: answer });
}

/** The fragments of the pages about OpenAI's API. */
export const openaiCases: readonly Case[] = [
  {
    page: serving,
    begins: "const service = createService({",
    run: async (text, { agents: { helper }, storage }) => {
      const scope = { createService, serve, openaiApi, helper, storage, authenticate: () => ({ id: "ada" }) };
      const { service } = await runProgram(text.replace("3000", "0"), scope);
      await (service as ReturnType<typeof createService>).close();
    },
  },
  {
    page,
    begins: "const client = new OpenAI(",
    run: async (text, served) => {
      const made = await runProgram(local(text, served), libraries);
      expect(made["answer"]).toMatchObject({ output_text: answer });
    },
  },
  { page, begins: "const troupe = createOpenAI(", run: expectText },
  { page, begins: "const troupe = createOpenAICompatible(", run: expectText },
  {
    page,
    begins: "endpoints:",
    run: async (text, served) => {
      const { endpoints } = parseYaml(text) as Settings;
      const [{ baseURL, models }] = endpoints.custom;
      const { data } = (await (await fetch(`${local(baseURL, served)}/models`)).json()) as { data: { id: string }[] };
      expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(models.default));
    },
  },
  {
    page,
    begins: "openaiApi({ openWebUi",
    run: async (text) => {
      const { made } = await runProgram(`const made = ${text}`, { openaiApi, jwtSecret: "s".repeat(32) });
      expect(Object.keys(made as object)).toEqual(Object.keys(openaiApi()));
    },
  },
];
