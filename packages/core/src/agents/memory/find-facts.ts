import { TroupeError } from "../../base/errors/troupe-error.ts";
import { getTextContent } from "../../base/message/content.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import { parseStructured } from "../../schema/parse-structured.ts";
import { askMemoryModel } from "./ask-memory-model.ts";
import type { MemoryModelCall } from "./ask-memory-model.ts";
import { dataBlock } from "./data-block.ts";
import { toConversation, toTranscript } from "./transcript.ts";
import { warnCaller } from "./memory-options.ts";
import type { MemoryModelOptions } from "./memory-options.ts";
import { maxFactLength, tidyFact } from "./user-fact.ts";

type Search = Omit<MemoryModelCall, "messages" | "config"> & {
  messages: readonly ChatMessage[];
  known: readonly string[];
};

/** The maximum number of facts accepted from one model call: a model that finds more is inventing them. */
const maxFound = 20;
/** The number of newest messages of a conversation in which a model searches for facts. */
const maxMessages = 100;

const factsSchema = {
  type: "object",
  properties: { facts: { type: "array", items: { type: "string" } } },
  required: ["facts"],
  additionalProperties: false,
} as const;

const instructions =
  "You note lasting facts about the user: who they are, what they like, need and plan. You are given a record of a " +
  "conversation. Note what the user said about themselves, each fact as one short sentence in the third person. Leave out " +
  "what matters for the moment only, what others said, what is known already, and passwords, keys and the like. Answer " +
  'with JSON like {"facts": ["Lives in Oslo."]}; with {"facts": []} when there is nothing to note.';

/**
 * Asks a model for facts that the user stated in the newest 100 messages, and returns at most 20. An answer that cannot
 * be parsed yields no facts and a warning. A failure of the model is thrown.
 */
export async function findFacts({ messages, known, ...call }: Search): Promise<string[]> {
  const lines = toTranscript(toConversation(messages).slice(-maxMessages).filter(isSaid).map(toSaid));
  if (lines.length === 0) return [];
  const schema = compileStructuredSchema(factsSchema, "facts");
  const answer = await askMemoryModel({
    ...call,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: describe(lines, known) },
    ],
    config: { responseFormat: { type: "json_schema", schema: schema.jsonSchema, name: "user_facts" } },
  });
  try {
    return bound((await parseStructured(answer, schema)) as { facts: string[] }, call);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    const message = "The model's answer with facts could not be parsed. None are stored.";
    warnCaller(call, { code: "facts_unreadable", message, error });
    return [];
  }
}

// Facts are searched only in texts of the user and the model, because tool results may quote other people.
function isSaid({ role, content }: ChatMessage): boolean {
  return (role === "user" || role === "assistant") && getTextContent(content).trim() !== "";
}

function toSaid({ role, content }: ChatMessage): ChatMessage {
  return { role, content: getTextContent(content) };
}

function describe(lines: readonly string[], known: readonly string[]): string {
  return [
    dataBlock({ tag: "known_facts", about: "What is known of the user.", lines: known }),
    dataBlock({ tag: "conversation", about: "A conversation with the user, oldest first.", lines }),
  ]
    .filter((block) => block !== "")
    .join("\n\n");
}

function bound({ facts }: { facts: string[] }, caller: MemoryModelOptions): string[] {
  const usable = facts
    .slice(0, maxFound)
    .map(tidyFact)
    .filter((fact) => fact !== "" && fact.length <= maxFactLength);
  if (usable.length < facts.length) {
    warnCaller(caller, {
      code: "facts_left_out",
      message: "The model found facts that are too many, too long or blank. They are left out.",
      found: facts.length,
      kept: usable.length,
    });
  }
  return usable;
}
