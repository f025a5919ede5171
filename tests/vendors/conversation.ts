import type { VendorAnswer } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool } from "@troupe/core";
import type { ContentPart, ModelProvider, StorageDriver, TokenUsage, ToolDef } from "@troupe/core";
import type { VendorName } from "./vendors.ts";

const parameters = { type: "object", properties: { topic: { type: "string" } }, required: ["topic"] };
const tools = [toolOf("look_up", (topic) => `Found ${topic}.`), toolOf("measure", (topic) => `Measured ${topic}.`)];

/** Creates an agent that thinks, calls tools and keeps its sessions in the storage. */
export function agentOf(model: ModelProvider, storage: StorageDriver): Agent {
  const reasoning = { enabled: true, effort: "low", budgetTokens: 1024 } as const;
  return new Agent({ name: "guide", instructions: "Be short.", model, storage, tools, reasoning });
}

/** A PNG of one pixel, in base64. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/** The beginning of a PDF, in base64. */
export const pdf = Buffer.from("%PDF-1.7\n%âãÏÓ\n1 0 obj\n").toString("base64");
/** Text in place of the PDF, for vendors that take none. */
export const pdfInWords = "[file report.pdf, application/pdf: not shown to this model]";

const image: ContentPart = { type: "image", data: png, mimeType: "image/png" };
const report: ContentPart = { type: "file", data: pdf, mimeType: "application/pdf", filename: "report.pdf" };

/** Returns the user's first message, without the PDF for a vendor that takes none. */
export function firstQuestion(vendor: VendorName): ContentPart[] {
  const text: ContentPart = { type: "text", text: "What do these say of Oslo?" };
  return vendor === "ollama" ? [text, image] : [text, image, report];
}

/** Ids of tool calls, as the models of each vendor make them. Vertex makes none. */
const callIds: Readonly<Record<VendorName, (count: number) => string>> = {
  openai: (count) => `call_${count}`,
  anthropic: (count) => `toolu_${count}`,
  google: (count) => `function-call-${count}`,
  vertex: (count) => `${count}`,
  // Some models number the calls of each answer from 0.
  ollama: (count) => `functions.look_up:${count % 2}`,
};

/** Returns two round trips, the second with two calls, and the answer. */
export function firstTurns(vendor: VendorName): VendorAnswer[] {
  const idOf = callIds[vendor];
  return [
    said(1, { thinking: "Pondering the first.", text: "Let me look.", toolCalls: [call(idOf(0), "look_up", "maps")] }),
    said(2, {
      thinking: "Pondering the second.",
      toolCalls: [call(idOf(2), "look_up", "clouds"), call(idOf(3), "measure", "rain")],
    }),
    said(3, { thinking: "Pondering the third.", text: "It rains in Oslo." }),
  ];
}

/** Returns one more round trip and another answer. */
export function furtherTurns(vendor: VendorName): VendorAnswer[] {
  const toolCalls = [call(callIds[vendor](4), "measure", "wind")];
  return [
    said(4, { thinking: "Considering a fourth.", text: "One moment.", toolCalls }),
    said(5, { text: "Leave the umbrella." }),
  ];
}

/** Returns the total usage of the model calls with these numbers. */
export function costOf(...numbers: number[]): TokenUsage {
  const sum = numbers.reduce((total, number) => total + number, 0);
  return { promptTokens: 100 * sum, completionTokens: 10 * sum, totalTokens: 110 * sum };
}

function toolOf(name: string, find: (topic: string) => string): ToolDef {
  return defineTool({ name, description: "Finds out.", parameters, execute: ({ topic }) => find(String(topic)) });
}

function said(count: number, turn: Exclude<VendorAnswer, string>): VendorAnswer {
  return { ...turn, usage: costOf(count) };
}

function call(id: string, name: string, topic: string) {
  return { id, name, arguments: { topic } };
}
