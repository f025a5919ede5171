import { TroupeError } from "../errors/troupe-error.ts";
import { getTextContent } from "../message/content.ts";
import type { ChatMessage } from "../message/message.ts";
import { compileStructuredSchema } from "../schema/compile-schema.ts";
import { parseStructured } from "../schema/parse-structured.ts";
import { askModel } from "./ask-model.ts";
import type { Question } from "./ask-model.ts";
import { dataBlock } from "./data-block.ts";
import { longestFact, tidy } from "./fact-text.ts";
import { toConversation } from "./to-conversation.ts";
import { toTranscript } from "./transcript.ts";

type Extraction = Omit<Question, "messages" | "config"> & {
  messages: readonly ChatMessage[];
  known: readonly string[];
};

/** A conversation does not tell more of somebody; a model that finds more is making things up. */
const mostFacts = 20;
/** The newest messages that are read. */
const mostMessages = 100;

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
 * Lets a model find facts about the user in messages. An answer that is none gives no facts and a warning; a model that
 * fails is an error.
 */
export async function extractFacts({ messages, known, ...question }: Extraction): Promise<string[]> {
  const lines = toTranscript(toConversation(messages).slice(-mostMessages).filter(isSaid).map(toSaid));
  if (lines.length === 0) return [];
  const schema = compileStructuredSchema(factsSchema, "facts");
  const answer = await askModel({
    ...question,
    messages: [
      { role: "system", content: instructions },
      { role: "user", content: describe(lines, known) },
    ],
    config: { responseFormat: { type: "json_schema", schema: schema.jsonSchema, name: "user_facts" } },
  });
  try {
    return bound((await parseStructured(answer, schema)) as { facts: string[] }, question);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    question.logger?.warn("The model's answer holds no facts that could be read: none are stored.", { error });
    return [];
  }
}

/** What tools found was said by others, and is nothing that the user said. */
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

function bound({ facts }: { facts: string[] }, { logger }: Pick<Question, "logger">): string[] {
  const usable = facts
    .slice(0, mostFacts)
    .map(tidy)
    .filter((fact) => fact !== "" && fact.length <= longestFact);
  if (usable.length < facts.length) {
    logger?.warn("The model found facts that are too many, too long or blank: they are left out.", {
      found: facts.length,
      kept: usable.length,
    });
  }
  return usable;
}
