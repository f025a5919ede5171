import type { MessageContent } from "../message/content.ts";
import type { ToolCallResult } from "../message/tool-call.ts";
import { readProperty } from "../util/read-property.ts";
import { addText } from "./add-text.ts";
import type { Inquiry } from "./consult.ts";
import type { Member } from "./member.ts";
import { readVote, voteForm } from "./vote.ts";

/** What the members of a team say to a question, round after round. */
export class Discussion {
  readonly #question: MessageContent;
  readonly #said: string[] = [];

  constructor(question: MessageContent) {
    this.#question = question;
  }

  /** All that was said, in order. */
  get transcript(): string {
    return this.#said.join("\n\n");
  }

  /** Asks for contributions. Each message is whole: not every member remembers what it was told before. */
  invite(members: readonly Member[], round: number): Inquiry[] {
    return members.map((member) => ({ member, content: this.#invitation(member), args: { round } }));
  }

  /** Takes in the contributions of a round, and gives those who made one. */
  add(members: readonly Member[], results: readonly ToolCallResult[], round: number): Member[] {
    this.#said.push(...members.map(({ name }, index) => `## Round ${round}: ${name}\n\n${results[index]?.result}`));
    return members.filter((_, index) => results[index]?.error === undefined);
  }

  /** Whether a vote can end it: a member whose every answer has a form of its own has no words to agree with. */
  canEndBy(speakers: readonly Member[]): boolean {
    return speakers.every(({ runnable }) => readProperty(runnable, "hasStructuredOutput") !== true);
  }

  /** Asks whether they agree. */
  poll(speakers: readonly Member[], round: number): Inquiry[] {
    return speakers.map((member) => ({
      member,
      content: this.#tell(
        member,
        `Do you agree with what the others said, so that nothing is left to discuss? ${voteForm}`,
      ),
      args: { round, vote: true },
    }));
  }

  /** Counts the votes. Reasons against are told in the next round. */
  async haveAgreed(speakers: readonly Member[], results: readonly ToolCallResult[]): Promise<boolean> {
    const votes = await Promise.all(results.map(readVote));
    for (const [index, { agree, reason }] of votes.entries()) {
      if (!agree && reason) this.#said.push(`${speakers[index]?.name} does not agree: ${reason}`);
    }
    return votes.every(({ agree }) => agree);
  }

  #invitation(member: Member): MessageContent {
    if (this.#said.length === 0) return this.#question;
    return this.#tell(
      member,
      "Give your contribution to the next round: answer the others, and say what you think now.",
    );
  }

  #tell({ name }: Member, request: string): MessageContent {
    const told = `You are ${name}, and discuss this with others. This was said so far:\n\n${this.transcript}`;
    return addText(this.#question, `${told}\n\n${request}`);
  }
}
