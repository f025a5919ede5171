import { Agent } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { chat, modelThat } from "./vendor-events.ts";
import type { Answer } from "./vendor-events.ts";

const yr = { url: "https://yr.no/oslo", title: "Oslo" };
const met = { url: "https://met.no/", title: "Met" };
const annotations = [
  { type: "url_citation", url_citation: { ...yr, start_index: 0, end_index: 9 } },
  { type: "url_citation", ...met },
  { type: "file_citation", file_citation: { file_id: "file-1", filename: "report.pdf" } },
  null,
  { type: "url_citation", url_citation: null },
];
const file = { id: "file-1", title: "report.pdf" };

type Form = { form: string; message?: object; beside?: object; sources: object[] };

/** The ways in which servers with the Chat Completions API name sources: fields of the message, and beside the answer. */
const forms: Form[] = [
  { form: "annotations", message: { annotations }, sources: [yr, met, file] },
  {
    form: "citations that are addresses",
    beside: { citations: [yr.url, met.url, yr.url, null, 7, ""] },
    sources: [{ url: yr.url }, { url: met.url }],
  },
  {
    form: "citations that are objects",
    beside: { citations: [yr, { title: "No page" }, met] },
    sources: [yr, met],
  },
  { form: "citations in the message", message: { citations: [met.url] }, sources: [{ url: met.url }] },
  { form: "results of a search alone", beside: { search_results: [yr, met] }, sources: [yr, met] },
  {
    form: "results of a search",
    beside: { citations: [yr.url, met.url], search_results: [{ ...yr, date: null }] },
    sources: [yr, { url: met.url }],
  },
];

const words = (content: string, more: object, beside: object): object => ({
  ...chat.delta({ content, ...more }),
  ...beside,
});

describe("the sources of an answer of Chat Completions", () => {
  it.each(forms)(
    "are read from $form, whole and streamed [model-calls.sources]",
    async ({ message = {}, beside = {}, sources }) => {
      const streamed: Answer = [words("It ", {}, beside), words("rains.", message, beside), { ...chat.end, ...beside }];
      const whole = { whole: { ...beside, choices: [{ message: { content: "It rains.", ...message } }] } };
      const agent = new Agent({ name: "a", model: await modelThat("Chat", streamed, whole) });
      const expected = sources.map((source) => ({ id: expect.any(String) as unknown, ...source }));

      const stream = agent.stream("Weather?");
      const chunks = await Array.fromAsync(stream);
      const shown = chunks.filter(({ type }) => type === "source");
      expect(shown).toEqual(expected.map((source) => ({ type: "source", ...source })));
      expect((await stream.output).sources).toEqual(expected);
      const output = await agent.run("Weather?");
      expect(output.text).toBe("It rains.");
      expect(output.sources).toEqual(expected);
    },
  );

  it.each([null, "https://yr.no", {}, [[]], [null]])(
    "are absent where a server sends %j in their place [model-calls.sources]",
    async (odd) => {
      const fields = { citations: odd, search_results: odd };
      const streamed = [words("Hi", { annotations: odd, citations: odd }, fields), chat.end];
      const whole = { whole: { ...fields, choices: [{ message: { content: "Hi", annotations: odd } }] } };
      const agent = new Agent({ name: "a", model: await modelThat("Chat", streamed, whole) });

      for (const output of [await agent.stream("Hello?").output, await agent.run("Hello?")]) {
        expect(output.text).toBe("Hi");
        expect(output).not.toHaveProperty("sources");
      }
    },
  );
});
