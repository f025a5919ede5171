import { EventBus } from "../../../base/events/event-bus.ts";
import type { MessageContent } from "../../../base/message/content.ts";
import { noUsage } from "../../../base/message/token-usage.ts";
import type { RunEvents } from "../../run/run-events.ts";
import type { RunOpts } from "../../run/run-options.ts";
import type { RunOutput } from "../../run/run-output.ts";
import type { Runnable, RunStream } from "../../run/runnable.ts";
import { createMembers } from "../members.ts";
import type { TeamMember } from "../members.ts";

/** The definition of a third party's member: its answer to an input, and further fields. */
export type PlainMember = Partial<Pick<Runnable, "description" | "effect">> & {
  readonly run?: (input: MessageContent, opts: RunOpts) => Promise<Partial<RunOutput>>;
};

/** Makes the members of a team, by name, of runnables that a third party has written: each answers with its name. */
export function plainMembers(members: Readonly<Record<string, PlainMember>>): TeamMember[] {
  const runnables = Object.entries(members).map(([name, { run, ...facts }]): Runnable => {
    const answer = async (input: MessageContent, opts: RunOpts = {}): Promise<RunOutput> => {
      return { text: `I am ${name}.`, toolCalls: [], usage: noUsage, ...(await run?.(input, opts)) };
    };
    const stream = (): RunStream => {
      throw new Error("This member does not stream.");
    };
    return { name, kind: "remote", eventBus: new EventBus<RunEvents>(), run: answer, stream, ...facts };
  });
  return createMembers(runnables);
}
