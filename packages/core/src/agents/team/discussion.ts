import { getTextContent } from "../../base/message/content.ts";
import type { MessageContent } from "../../base/message/content.ts";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { compileStructuredSchema } from "../../schema/compile-schema.ts";
import type { CompiledSchema } from "../../schema/compile-schema.ts";
import { parseStructured } from "../../schema/parse-structured.ts";
import { readProperty } from "../../base/util/read-property.ts";
import type { MemberTask } from "./delegation.ts";
import type { TeamMember } from "./members.ts";

/**
 * The discussion of a question by a team's members in mode `collaborate`. It holds the transcript, creates the tasks of
 * each round and vote, and counts the votes.
 */
export class Discussion {
  readonly #question: MessageContent;
  readonly #entries: string[] = [];

  constructor(question: MessageContent) {
    this.#question = question;
  }

  /** All contributions and objections of the members, in order. */
  get transcript(): string {
    return this.#entries.join("\n\n");
  }

  /**
   * Returns the tasks of a round of the discussion. After the first round each contains the transcript, because members
   * may have no memory of earlier rounds.
   */
  contributionTasks(members: readonly TeamMember[], round: number): MemberTask[] {
    return members.map((member) => ({ member, content: this.#contributionPrompt(member), args: { round } }));
  }

  /** Adds the results of a round to the transcript, and returns the members whose delegations did not fail. */
  addContributions(members: readonly TeamMember[], results: readonly ToolCallResult[], round: number): TeamMember[] {
    this.#entries.push(
      ...members.map(
        ({ name }, index) => `## Round ${round}: ${name}\n\n${getTextContent(results[index]?.result ?? null)}`,
      ),
    );
    return members.filter((_, index) => results[index]?.error === undefined);
  }

  /** Returns true if a vote can end the discussion. A member with structured output cannot vote. */
  canEndBy(speakers: readonly TeamMember[]): boolean {
    return speakers.every(({ runnable }) => readProperty(runnable, "hasStructuredOutput") !== true);
  }

  /** Returns the tasks of a vote on ending the discussion, one for each speaker. */
  voteTasks(speakers: readonly TeamMember[], round: number): MemberTask[] {
    const request = `Do you agree with what the others said, so that nothing is left to discuss? ${voteFormat}`;
    return speakers.map((member) => ({
      member,
      content: this.#prompt(member, request),
      args: { round, vote: true },
    }));
  }

  /** Counts the members' votes and returns true if all agree. Reasons of votes against are added to the transcript. */
  async haveAgreed(speakers: readonly TeamMember[], results: readonly ToolCallResult[]): Promise<boolean> {
    const votes = await Promise.all(results.map(readVote));
    for (const [index, { agree, reason }] of votes.entries()) {
      if (!agree && reason) this.#entries.push(`${speakers[index]?.name} does not agree: ${reason}`);
    }
    return votes.every(({ agree }) => agree);
  }

  #contributionPrompt(member: TeamMember): MessageContent {
    if (this.#entries.length === 0) return this.#question;
    return this.#prompt(
      member,
      "Give your contribution to the next round: answer the others, and say what you think now.",
    );
  }

  #prompt({ name }: TeamMember, request: string): MessageContent {
    const situation = `You are ${name}, and discuss this with others. This was said so far:\n\n${this.transcript}`;
    return appendTextPart(this.#question, `${situation}\n\n${request}`);
  }
}

/** Appends a text to a message's content: after a blank line in a string, as a further part in an array. */
export function appendTextPart(content: MessageContent, text: string): MessageContent {
  return typeof content === "string" ? `${content}\n\n${text}` : [...content, { type: "text", text }];
}

type Vote = { agree: boolean; reason?: string | undefined };

const voteFormat =
  'Answer with JSON and nothing else: {"agree": true}, or {"agree": false, "reason": "what you do not agree with"}.';

const voteSchema = {
  type: "object",
  properties: { agree: { type: "boolean" }, reason: { type: "string" } },
  required: ["agree"],
} as const;

/** Reads a member's vote. Only JSON of the right form counts as agreement; words of agreement do not. */
async function readVote({ result, error }: ToolCallResult): Promise<Vote> {
  if (error !== undefined) return { agree: false };
  try {
    return await parseStructured(
      getTextContent(result),
      compileStructuredSchema(voteSchema, "vote") as CompiledSchema<Vote>,
    );
  } catch {
    return { agree: false };
  }
}
