import { checkOwners } from "@troupe-internal/fault-tools";
import { describe, expect, it, vi } from "vitest";
import { openChat } from "../test/chat.ts";
import type { TestChat } from "../test/chat.ts";
import { durable, payer } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { claimOf, hanging, headersOf, teller, users, withClaimed } from "../test/owners.ts";
import type { User } from "../test/owners.ts";
import type { ServiceClient } from "../test/service.ts";

/** Waits as long as other tests do, and looks more often. */
const soon = { interval: 2, timeout: 30_000 };

const shows = ["packages/use-chat/src/chat-routes.ts", "packages/use-chat/src/answer-chat.ts"];

/** Says something in the chat `c`, and returns the answer. */
async function say(service: ServiceClient, user: User, text: string) {
  return await send(service, user, { message: said(text) });
}

async function send(service: ServiceClient, user: User, body: object) {
  return await service.post("/agents/a/ui", { id: "c", ...claimOf(user), ...body }, headersOf(user));
}

const said = (text: string) => ({ role: "user", parts: [{ type: "text", text }] });

/** The text of an answer. */
function textOf({ text }: { text: string }): string {
  const chunks = [...text.matchAll(/^data: (\{.*\})$/gm)].map(
    ([, json = ""]) => JSON.parse(json) as { delta?: string },
  );
  return chunks.map(({ delta = "" }) => delta).join("");
}

/** Reads a stream until it has said something, or to its end. */
async function readUntil(body: Response["body"], words: string): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes as Uint8Array, { stream: true });
    if (text.includes(words)) break;
  }
  return text;
}

describe("users who differ in one field, in chats of one id", () => {
  it("go on with their own conversation, also those who are only claimed [http.ui-session]", async () => {
    const service = await serve({ agents: { a: teller() } });
    await checkOwners({
      shows,
      owners: withClaimed,
      // What a page has of the conversation is taken where there is no session yet, and there alone.
      leave: async (user, mark) => {
        const answer = await send(service, user, { messages: [said("Before."), said(mark)] });
        expect(textOf(answer)).toBe(`Before.; ${mark}`);
      },
      find: async (user) => {
        const answer = await send(service, user, { messages: [said("Made up."), said("What?")] });
        return textOf(answer)
          .split("; ")
          .filter((text) => text !== "What?" && text !== "Before.");
      },
    });
  });

  it("replace turns of their own conversation alone, also those who are only claimed [http.ui-regenerate]", async () => {
    const agent = teller();
    const service = await serve({ agents: { a: agent } });
    const answered = new Map<User, string | null>();
    await checkOwners({
      shows: [...shows, "packages/use-chat/src/replaced-turns.ts"],
      owners: withClaimed,
      leave: async (user, mark) => {
        answered.set(user, (await say(service, user, mark)).headers.get("x-run-id"));
        await say(service, user, "And?");
      },
      find: async (owner) => {
        const { turns } = await agent.sessions.readTurns("c", { owner });
        const [first, second] = turns.map(({ input }) => input as string);
        return second === "And?" ? [first ?? ""] : [];
      },
      remove: async (user) => {
        const answer = { ...said("Made up."), role: "assistant", id: answered.get(user) };
        const messages = [said("Made up."), answer, said("Edited.")];
        const edited = textOf(await send(service, user, { messages, messageId: "m" }));
        expect(edited).toMatch(/^of [^;]+; Edited\.$/);
      },
    });
  });

  it("follow and stop their own answer alone [http.ui-resume] [http.ui-stop]", async () => {
    const { agent, running } = hanging();
    const service = await serve({ agents: { a: agent } }, { chat: { onDisconnect: "continue" } });
    const marks = new Map<string | null, string>();
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => {
        const { headers, body } = await fetch(`http://127.0.0.1:${service.port}/agents/a/ui`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headersOf(user) },
          body: JSON.stringify({ id: "c", message: said(mark) }),
        });
        await vi.waitFor(() => expect(running).toContain(mark), soon);
        marks.set(headers.get("x-run-id"), mark);
        await body?.cancel();
      },
      find: async (user) => {
        const url = `http://127.0.0.1:${service.port}/agents/a/ui/c/stream`;
        const { headers, body } = await fetch(url, { headers: headersOf(user) });
        const text = await readUntil(body, "Well, ");
        return text.includes("Well, ") ? [marks.get(headers.get("x-run-id")) ?? "another"] : [];
      },
      remove: async (user) => {
        const { size } = running;
        expect((await service.ask("/agents/a/ui/c/stop", { method: "POST", headers: headersOf(user) })).status).toBe(
          204,
        );
        await vi.waitFor(() => expect(running.size).toBe(size - 1), soon);
      },
    });
  });

  it("answer their own question alone [http.ui-approval]", async () => {
    const { agent, paid } = payer();
    const service = await serve({ agents: { a: agent }, runs: await durable({ agents: { a: agent } }) });
    const asked = new Map<User, { open: TestChat; mark: string }>();
    const over = new Set<User>();
    await checkOwners({
      shows,
      owners: users,
      leave: async (user, mark) => {
        const open = openChat(service, "/agents/a/ui", { id: "c", headers: headersOf(user) });
        await open.chat.sendMessage({ text: "Pay." });
        asked.set(user, { open, mark });
      },
      find: async (user) => await Promise.resolve(over.has(user) ? [] : [asked.get(user)?.mark ?? ""]),
      remove: async (user) => {
        const count = paid.length;
        for (const [of, { open }] of asked) {
          const { status } = await service.post("/agents/a/ui", approved(open), headersOf(user));
          expect(status).toBe(of === user ? 200 : 404);
        }
        expect(paid).toHaveLength(count + 1);
        over.add(user);
      },
    });
  });

  it("make room for their own message alone, also those who are only claimed [http.ui-takeover]", async () => {
    const { agent } = payer();
    const runs = await durable({ agents: { a: agent } });
    const service = await serve({ agents: { a: agent }, runs });
    const waiting = new Map<User, { runId: string; mark: string }>();
    const sayFor = async (user: User) => (await say(service, user, "Pay.")).headers.get("x-run-id") ?? "";
    await checkOwners({
      shows,
      owners: withClaimed,
      leave: async (user, mark) => waiting.set(user, { runId: await sayFor(user), mark }),
      find: async (user) => {
        const { runId = "", mark = "" } = waiting.get(user) ?? {};
        return (await runs.get(runId, "host")).status === "waiting" ? [mark] : [];
      },
      // The run that waits is cancelled for a new message.
      remove: sayFor,
    });
  });
});

/** The body by which a page approves the call of its last message. */
function approved({ chat: { messages } }: TestChat): object {
  const parts = messages.at(-1)?.parts.map((part) => {
    if (part.type !== "tool-pay") return part;
    const { approval } = part as { approval?: { id: string } };
    return { ...part, state: "approval-responded", approval: { ...approval, approved: true } };
  });
  return { id: "c", messages: [...messages.slice(0, -1), { ...messages.at(-1), parts }] };
}
