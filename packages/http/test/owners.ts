import { principals } from "@troupe-internal/fault-tools";
import { Agent, InMemoryStorage } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { as } from "./stored-runs.ts";
import type { Answer, Service } from "./service.ts";

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

/** Asks as a user, with a method. */
export async function askAs(service: Service, user: User | undefined, request: string): Promise<Answer> {
  const [method = "GET", path = ""] = request.split(" ");
  return await service.ask(path, { method, headers: user === undefined ? {} : headersOf(user) });
}

/** Asks for each run. Returns the marks of those that were reached. All others are not found. */
export async function reached(
  begun: ReadonlyMap<string, string>,
  ask: (runId: string) => Promise<Pick<Answer, "status">>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [runId, mark] of begun) {
    const { status } = await ask(runId);
    if (status < 300) found.push(mark);
    else if (status !== 404) throw new Error(`Expected a run or a 404, got ${status}.`);
  }
  return found;
}

/** Removes runs by their marks. */
export function forget(begun: Map<string, string>, marks: readonly string[]): void {
  for (const [runId, mark] of begun) if (marks.includes(mark)) begun.delete(runId);
}

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
