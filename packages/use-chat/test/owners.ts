import { principals } from "@troupe-internal/fault-tools";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { as } from "./serve.ts";

/** A user who is signed in, or one who is only claimed in a body. */
export type User = { userId: string; tenantId?: string; verified?: boolean };

/** Of two users and of two tenants: of each there are two who differ in nothing else. */
export const users: readonly User[] = principals.slice(1, 5);

/** The same users, and a user of one name who is signed in and who is only claimed. */
export const withClaimed: readonly User[] = [...users, { userId: "ada" }, { userId: "ada", verified: false }];

/** The headers by which a user is signed in: none for one who is only claimed. */
export function headersOf({ userId, tenantId, verified = true }: User): Record<string, string> {
  return verified ? as(userId, tenantId) : {};
}

/** The fields of a body that claim a user. */
export const claimOf = ({ userId, verified = true }: User): object => (verified ? {} : { userId });

/** An agent that tells all that was said to it in a session. */
export function teller(): Agent {
  const model = new ScriptedModel().respond(({ messages }) => {
    return messages.flatMap(({ role, content }) => (role === "user" ? [content as string] : [])).join("; ");
  });
  return new Agent({ name: "a", model, storage: new InMemoryStorage() });
}

/** An agent that says something and hangs, and what was said to it in runs that are not over. */
export function hanging(): { agent: Agent; running: Set<string> } {
  const running = new Set<string>();
  const model = new ScriptedModel();
  model.stream = async function* stream(messages, options) {
    const said = messages.at(-1)?.content as string;
    running.add(said);
    yield { type: "text", text: "Well, " };
    await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve, { once: true }));
    running.delete(said);
    options?.signal?.throwIfAborted();
  };
  return { agent: new Agent({ name: "a", model, storage: new InMemoryStorage() }), running };
}
