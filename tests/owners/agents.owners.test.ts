import { checkOwners, principals, usersOfAll } from "@troupe-internal/fault-tools";
import { Agent, defineTool, InMemoryStorage, Memory, SessionStore, UserMemory } from "@troupe/core";
import type { AgentConfig, ChatMessage, SessionOwner } from "@troupe/core";
import { ownerKey, readMessage, readRunFields } from "@troupe/core/transport";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it, vi } from "vitest";

/** Makes an agent that answers with the names of what it was given: its facts, and the messages of its history. */
function echoingAgent(config: Partial<AgentConfig>): Agent {
  const model = new ScriptedModel().respond(({ messages }) =>
    messages.map(({ content }) => JSON.stringify(content)).join("\n"),
  );
  return new Agent({ name: "a", model, ...config });
}

const marksIn = (text: string): string[] => [...new Set(text.match(/of [^\n]+ in [^\n."]+/g))].toSorted();

describe("each of several owners finds its own and nothing else", () => {
  it("each of several owners finds its own and nothing else in the cache of a tool", async () => {
    let next = "";
    const read = defineTool({
      name: "read",
      description: "Reads.",
      parameters: { type: "object" },
      cache: { ttl: 60_000 },
      execute: () => next,
    });
    const model = new ScriptedModel().respond(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? JSON.stringify(last.content) : { toolCalls: [{ name: "read" }] };
    });
    const agent = new Agent({ name: "a", model, tools: [read] });
    const ask = async (owner: SessionOwner, fresh: string): Promise<string> => {
      next = fresh;
      return (await agent.run("Read.", owner)).text;
    };

    await checkOwners({
      shows: ["packages/core/src/agents/tool/tool-cache.ts"],
      owners: usersOfAll,
      leave: ask,
      find: async (owner) => marksIn(await ask(owner, "nothing that was kept")),
    });
  });

  it("each of several owners finds its own and nothing else in the fork of a session, also after that is deleted", async () => {
    const model = new ScriptedModel().respond(() => "Yes.");
    const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });

    await checkOwners({
      shows: [
        "packages/core/src/sessions/session/fork-entries.ts",
        "packages/core/src/sessions/session/fork-pasts.ts",
        "packages/core/src/sessions/session/fork-session.ts",
        "packages/core/src/sessions/session/forked-turn-log.ts",
      ],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await agent.run(mark, { ...owner, sessionId: "s" });
        await agent.sessions.fork("s", { seq: 1, forkId: "f" }, { owner });
        await agent.sessions.deleteSession("s", { owner });
      },
      find: async (owner) => {
        if (!(await agent.sessions.has("f", { owner }))) return [];
        return (await agent.sessions.readTurns("f", { owner })).turns.map(({ input }) => input as string);
      },
      remove: async (owner) => await agent.sessions.deleteSession("f", { owner }),
    });
  });

  it("each of several owners finds its own and nothing else in the key by which a vendor caches prompts", async () => {
    const keys = new Map<string | undefined, string>();
    const model = new ScriptedModel().respond(() => "Yes.");
    const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });
    const keyOf = async (owner: SessionOwner): Promise<string | undefined> => {
      await agent.run("Hello.", { ...owner, sessionId: "s" });
      return model.calls.at(-1)?.options?.cacheKey;
    };

    await checkOwners({
      shows: ["packages/core/src/agents/agent/agent-run.ts"],
      owners: usersOfAll,
      leave: async (owner, mark) => keys.set(await keyOf(owner), mark),
      find: async (owner) => [keys.get(await keyOf(owner)) ?? "nothing"],
    });
  });

  it("each of several owners finds its own and nothing else in sessions, by their id and in lists, and leaves nothing when it goes", async () => {
    const storage = new InMemoryStorage();
    const sessions = new SessionStore(storage);
    // Stored in pieces of its own, beside the turn.
    const image = { type: "image" as const, mimeType: "image/png", data: "QUFB".repeat(10_000) };
    const add = async (owner: SessionOwner, sessionId: string, text: string): Promise<void> => {
      const session = await sessions.open(sessionId, { owner });
      const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
      const messages = [{ role: "assistant" as const, content: "Yes." }];
      const input = [{ type: "text" as const, text }, image];
      await session.appendTurn({ runId: "r", runnable: "a", input, messages, status: "completed", usage });
      session.release();
    };
    await checkOwners({
      shows: [
        "packages/core/src/sessions/session/session-store.ts",
        "packages/core/src/sessions/session/list-sessions.ts",
        "packages/core/src/sessions/session/recent-index.ts",
        "packages/core/src/sessions/session/remove-session.ts",
      ],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await add(owner, "s", mark);
        await add(owner, "last", "Later.");
      },
      find: async (owner) => {
        const { sessions: listed } = await sessions.listSessions(owner);
        for (const { updatedAt } of listed) expect(updatedAt).toBeGreaterThan(1_700_000_000_000);
        expect(listed.map(({ sessionId }) => sessionId)).toEqual(listed.length === 0 ? [] : ["last", "s"]);
        const read = listed.map(async ({ sessionId }) => (await sessions.readTurns(sessionId, { owner })).turns);
        return marksIn(JSON.stringify((await Promise.all(read)).flat().map(({ input }) => input)));
      },
      remove: async (owner) => {
        await sessions.deleteUser(owner.userId, owner);
        const namespaces = ["sessions", "session-recent", "turns", "turn-parts", "memory", "facts"];
        const left = await Promise.all(namespaces.map((namespace) => storage.list(namespace, `${ownerKey(owner)}/`)));
        expect(left.flat()).toEqual([]);
      },
    });
  });

  it("each of several owners finds its own and nothing else in sessions that its runs have just begun", async () => {
    const sessions = new SessionStore(new InMemoryStorage());
    const usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
    await checkOwners({
      shows: ["packages/core/src/sessions/session/deferred-session.ts"],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        const session = await sessions.open("s", { owner, isNew: true });
        // The session is not stored yet when the lists of all owners are read.
        const lists = await Promise.all(usersOfAll.map((one) => sessions.listSessions(one)));
        const own = lists[usersOfAll.indexOf(owner)]?.sessions.map(({ sessionId }) => sessionId);
        expect(own).toEqual(["s"]);
        const turn = { runId: "r", runnable: "a", input: mark, messages: [], status: "completed", usage } as const;
        await session.appendTurn({ ...turn, messages: [{ role: "assistant", content: "Yes." }] });
        session.release();
      },
      find: async (owner) => {
        if (!(await sessions.has("s", { owner }))) return [];
        return (await sessions.readTurns("s", { owner })).turns.map(({ input }) => input as string);
      },
      remove: async (owner) => await sessions.deleteUser(owner.userId, owner),
    });
  });

  it("each of several owners finds its own and nothing else in the links to its sessions, which show nothing once it is gone", async () => {
    const storage = new InMemoryStorage();
    const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Yes."), storage });
    const { shares } = agent.sessions;
    const secrets: string[] = [];
    await checkOwners({
      shows: [
        "packages/core/src/sessions/session/session-shares.ts",
        "packages/core/src/sessions/session/share-record.ts",
      ],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await agent.run(mark, { ...owner, sessionId: "s" });
        const end = { expiresAt: Date.now() + 60_000, hasTools: false };
        const { secret, share } = await shares.create("s", owner, end);
        secrets.push(secret);
        const others = usersOfAll.filter((other) => other !== owner);
        const refused = others.map(async (other) => await shares.revoke(share.shareId, other));
        const outcomes = (await Promise.allSettled(refused)).map(({ status }) => status);
        expect(outcomes).toEqual(others.map(() => "rejected"));
      },
      find: async (owner) => {
        const own = new Set((await shares.list(owner)).map(({ shareId }) => shareId));
        const page = { after: undefined, limit: undefined, take: () => true };
        const read = await Promise.all(secrets.map((secret) => shares.readTurns(secret, page).catch(() => undefined)));
        const shown = read.filter((each) => each !== undefined && own.has(each.share.shareId));
        return shown.flatMap((each) => (each?.turns ?? []).map(({ input }) => input as string));
      },
      remove: async (owner) => {
        await agent.sessions.deleteUser(owner.userId, owner);
        const left = await Promise.all(["shares", "session-shares"].map((namespace) => storage.list(namespace)));
        expect(JSON.stringify(left)).not.toContain(`${ownerKey(owner)}/`);
      },
    });
  });

  it("each of several owners finds its own and nothing else in its memory and its facts", async () => {
    const storage = new InMemoryStorage();
    const [memory, userMemory] = [new Memory({ storage }), new UserMemory({ storage })];
    await checkOwners({
      shows: ["packages/core/src/agents/memory/memory-records.ts", "packages/core/src/agents/memory/fact-store.ts"],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await memory.addMessages("s", [{ role: "user", content: `Said ${mark}.` }], owner);
        await userMemory.addFacts(owner.userId, [`Fact ${mark}.`], "manual", owner);
      },
      find: async (owner) => {
        const texts = [
          await userMemory.getContextString(owner.userId, owner),
          await memory.getContextString("s", owner),
          ...(await userMemory.getFacts(owner.userId, owner)).map(({ fact }) => fact),
          ...(await memory.getMessages("s", owner)).map(({ content }) => JSON.stringify(content)),
        ];
        return marksIn(texts.join("\n"));
      },
      remove: async (owner) => {
        await memory.clear("s", owner);
        for (const { id } of await userMemory.getFacts(owner.userId, owner)) {
          await userMemory.removeFact(owner.userId, id, owner);
        }
      },
    });
  });

  it("each of several owners finds its own and nothing else in a memory and facts of the host's own, which know no tenants", async () => {
    const [messages, facts] = [new Map<string, ChatMessage[]>(), new Map<string, string>()];
    const memory = {
      addMessages: (id: string, added: ChatMessage[]) => void messages.set(id, [...(messages.get(id) ?? []), ...added]),
      getMessages: (id: string) => messages.get(id) ?? [],
      getSummaries: () => [],
      getContextString: () => "",
      clear: (id: string) => void messages.delete(id),
    };
    const userMemory = {
      getContextString: (id: string) => facts.get(id) ?? "",
      extractAndStore: (id: string, [said]: ChatMessage[]) => {
        const [mark] = marksIn(JSON.stringify(said?.content));
        if (mark !== undefined) facts.set(id, `Fact ${mark}.`);
      },
      clear: (id: string) => void facts.delete(id),
    };
    const agent = echoingAgent({ memory, userMemory });
    await checkOwners({
      shows: [
        "packages/core/src/agents/memory/stand-in-memory.ts",
        "packages/core/src/agents/memory/agent-user-memory.ts",
      ],
      owners: usersOfAll,
      leave: async (owner, mark) => {
        await agent.run(`Said ${mark}.`, { ...owner, sessionId: "s" });
        await vi.waitFor(() => expect([...facts.values()]).toContain(`Fact ${mark}.`));
      },
      find: async (owner) => {
        const ofSession = await agent.run("Which?", { ...owner, sessionId: "s" });
        const ofUser = await agent.run("Which?", { ...owner, sessionId: "other" });
        const [inSession, inFacts] = [marksIn(ofSession.text), marksIn(ofUser.text)];
        return inSession.join() === inFacts.join() ? inFacts : [...inSession, ...inFacts];
      },
    });
  });

  it("each owner finds its own and nothing else as the user whom a request may name", async () => {
    const claims = new Map(principals.map(({ userId }) => [userId, `of ${userId}`]));
    for (const principal of principals) {
      const accepted = [...claims.keys()].filter((claimed) => {
        try {
          const rules = {
            subject: "a",
            readInput: readMessage,
            principal,
            bodyUserId: "unverified",
            readKeys: () => ({ apiKeys: {} }),
          } as const;
          const { opts } = readRunFields({ input: "x", userId: claimed }, rules);
          return ownerKey(opts) === ownerKey(principal);
        } catch {
          return false;
        }
      });
      expect(accepted).toEqual([principal.userId]);
    }
  });
});
