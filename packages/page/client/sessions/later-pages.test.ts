import { describe, expect, it } from "vitest";
import { ApiError } from "@troupe-internal/client";
import type { SessionInfo } from "@troupe-internal/client";
import { SessionList } from "./session-list.ts";
import type { SessionApi } from "./session-list.ts";

type Page = Awaited<ReturnType<SessionApi["sessions"]>>;

function session(sessionId: string, updatedAt = 0): SessionInfo {
  return { sessionId, title: sessionId.toUpperCase(), createdAt: 0, updatedAt, turns: 1 };
}

/** Makes a list whose pages arrive when the test says so, in the order in which they were asked for. */
function openList() {
  const waiting: PromiseWithResolvers<Page>[] = [];
  const api: SessionApi = {
    hasUsers: true,
    sessions: async () => {
      const page = Promise.withResolvers<Page>();
      waiting.push(page);
      return await page.promise;
    },
    session: async (id) => await Promise.resolve(session(id)),
    rename: async (id, title) => await Promise.resolve({ ...session(id), title }),
    removeSession: async () => {},
    newestRuns: async () => await Promise.resolve([]),
    cancel: async () => {},
  };
  const memory = {
    openRuns: { all: () => [], remove: () => {} },
    keptTurns: { chats: () => [], forget: () => {} },
  };
  const list = new SessionList(api, { read: () => undefined, write: () => true }, memory);
  const arrive = (ids: string, next: string | undefined, newest: number): void => {
    const sessions = ids.split("").map((id, index) => session(id, newest - index));
    waiting.shift()?.resolve({ sessions, ...(next !== undefined && { next }) });
  };
  const shown = (): string => list.state.sessions.map(({ sessionId }) => sessionId).join("");
  return { list, arrive, shown, fail: (error: Error) => waiting.shift()?.reject(error) };
}

/** Makes a list with a first page of two sessions, while its next page is on its way. */
async function readingMore() {
  const opened = openList();
  const loading = opened.list.load();
  opened.arrive("ab", "2", 500);
  await loading;
  return { ...opened, more: opened.list.loadMore() };
}

describe("while an older page of sessions is read", () => {
  it("a session that begins is listed once, though the page has it too", async () => {
    const { list, arrive, shown, more } = await readingMore();
    list.begin("c", "New");
    arrive("cd", undefined, 400);
    await more;

    expect(shown()).toBe("cabd");
  });

  it("the newest page may arrive, and both are listed once", async () => {
    const { list, arrive, shown, more } = await readingMore();
    const loading = list.load();
    arrive("cd", "4", 400);
    await more;
    arrive("cab", "2", 600);
    await loading;

    expect(shown()).toBe("cabd");
  });

  it("a session that is removed does not come back with the page", async () => {
    const { list, arrive, shown, more } = await readingMore();
    await list.remove("c");
    arrive("cd", undefined, 400);
    await more;

    expect(shown()).toBe("abd");
  });

  it("a second request for it adds nothing twice", async () => {
    const { list, arrive, shown, more } = await readingMore();
    const again = list.loadMore();
    arrive("cd", undefined, 400);
    arrive("cd", undefined, 400);
    await Promise.all([more, again]);

    expect(shown()).toBe("abcd");
  });

  it("a renamed session keeps its new title", async () => {
    const { list, arrive, more } = await readingMore();
    await list.rename("a", "Better");
    arrive("cd", undefined, 400);
    await more;

    expect(list.state.sessions.map(({ title }) => title)).toEqual(["Better", "B", "C", "D"]);
  });

  it("its failure leaves the sessions that have arrived meanwhile", async () => {
    const { list, fail, shown, more } = await readingMore();
    list.begin("n", "New");
    fail(new ApiError({ code: "network", message: "No network." }));
    await more;

    expect([shown(), list.state.failure]).toEqual(["nab", "No network."]);
  });
});
