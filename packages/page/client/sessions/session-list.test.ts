import { describe, expect, it } from "vitest";
import { ApiError } from "@troupe-internal/client";
import type { RunInfo, SessionInfo } from "@troupe-internal/client";
import type { KeptChat } from "../chat/kept-turns.ts";
import type { OpenRun } from "../chat/open-runs.ts";
import { SessionList } from "./session-list.ts";
import type { SessionApi } from "./session-list.ts";

const pageSize = 2;

/** A service with sessions, the newest first, of which it lists two on a page. */
class FakeService implements SessionApi {
  hasUsers = true;
  readonly asked: string[] = [];
  running: RunInfo[] = [];
  listed: SessionInfo[];
  failure: ApiError | undefined;

  constructor(ids: string) {
    this.listed = ids.split("").map((sessionId, index) => session(sessionId, 100 - index));
  }

  async sessions({ after = "0" }: { after?: string } = {}) {
    if (this.failure !== undefined) throw this.failure;
    const end = Number(after) + pageSize;
    const sessions = this.listed.slice(Number(after), end);
    return { sessions, ...(end < this.listed.length && { next: String(end) }) };
  }

  async session(sessionId: string): Promise<SessionInfo> {
    const found = this.listed.find((each) => each.sessionId === sessionId);
    if (found === undefined) throw new ApiError({ code: "not_found", message: "Not found." }, 404);
    return found;
  }

  async rename(sessionId: string, title: string): Promise<SessionInfo> {
    return { ...(await this.session(sessionId)), title };
  }

  async removeSession(sessionId: string): Promise<void> {
    this.asked.push(`remove ${sessionId}`);
    await this.session(sessionId);
    this.listed = this.listed.filter((each) => each.sessionId !== sessionId);
  }

  async newestRuns(): Promise<RunInfo[]> {
    return this.running;
  }

  async cancel(runId: string): Promise<void> {
    this.asked.push(`cancel ${runId}`);
  }
}

function session(sessionId: string, updatedAt: number): SessionInfo {
  return { sessionId, title: sessionId.toUpperCase(), createdAt: 0, updatedAt, turns: 1 };
}

/** The data of chats that a browser keeps: active runs, ids of sessions, and chats that the service has not stored. */
type Known = { readonly remembered?: unknown; readonly chats?: KeptChat[] };

function createList(service: FakeService, runs: OpenRun[] = [], { remembered = [], chats = [] }: Known = {}) {
  const keptTurns = {
    chats: () => chats,
    forget: (sessionId: string) =>
      void chats.splice(0, chats.length, ...chats.filter((chat) => chat.sessionId !== sessionId)),
  };
  const openRuns = {
    all: () => runs,
    remove: (runId: string) => void runs.splice(0, runs.length, ...runs.filter((run) => run.runId !== runId)),
  };
  return new SessionList(
    service,
    { read: (isValid) => (isValid(remembered) ? remembered : undefined), write: () => true },
    { openRuns, keptTurns },
  );
}

const idsOf = (list: SessionList) => list.state.sessions.map(({ sessionId }) => sessionId).join("");
const openRun = (sessionId: string): OpenRun => ({
  runId: "r1",
  sessionId,
  kind: "agent",
  name: "a",
  text: "Q",
  files: [],
});

describe("the list of sessions", () => {
  it("keeps older pages when the newest is read again", async () => {
    const service = new FakeService("abcdef");
    const list = createList(service);
    await list.load();
    await list.loadMore();
    service.listed = [session("e", 200), ...service.listed.filter(({ sessionId }) => sessionId !== "e")];
    await list.load();

    expect(idsOf(list)).toBe("eabcd");
    expect(list.state.next).toBe("4");
  });

  it("says why older sessions could not be read, and reads them when it is asked again", async () => {
    const service = new FakeService("abcd");
    const list = createList(service);
    await list.load();
    service.failure = new ApiError({ code: "network", message: "The service could not be reached." });
    await list.loadMore();
    expect(list.state.failure).toBe("The service could not be reached.");
    service.failure = undefined;
    await list.loadMore();

    expect(idsOf(list)).toBe("abcd");
    expect(list.state.failure).toBeUndefined();
  });

  it("leaves out sessions of which nothing was stored, on the newest page and on older ones, unless they run", async () => {
    const service = new FakeService("abcdef");
    const empty = (each: SessionInfo): SessionInfo => {
      const { title: _, ...rest } = each;
      return { ...rest, turns: 0 };
    };
    service.listed = service.listed.map((each) => ("abc".includes(each.sessionId) ? empty(each) : each));
    service.listed[4] = { ...session("e", 96), turns: 0 };
    service.running = [{ runId: "r2", kind: "agent", name: "clerk", sessionId: "b", status: "waiting" }];
    const list = createList(service);
    await list.load();
    expect(idsOf(list)).toBe("b");
    await list.loadMore();
    await list.loadMore();

    expect(idsOf(list)).toBe("bdef");
  });

  it("does not show a deleted session again while its run ends", async () => {
    const service = new FakeService("ab");
    service.running = [{ runId: "r2", kind: "agent", name: "a", sessionId: "b", status: "running" }];
    const list = createList(service, [openRun("a")]);
    await list.load();
    const loading = list.load();
    await list.remove("a");
    await list.remove("b");
    await loading;
    await list.load();

    expect(service.asked).toEqual(["cancel r1", "remove a", "cancel r2", "remove b"]);
    expect(idsOf(list)).toBe("");
  });

  it("has the chats that only this tab has, by their time, until they are deleted [page.kept]", async () => {
    const chats = [
      { sessionId: "k", title: "é".repeat(100), at: 99.5 },
      { sessionId: "a", title: "Other", at: 1 },
    ];
    const list = createList(new FakeService("ab"), [], { chats });
    await list.load();
    expect(list.state.sessions.map(({ title }) => title)).toEqual(["A", "é".repeat(80), "B"]);

    await list.remove("k");
    await list.load();
    expect([idsOf(list), chats.map(({ sessionId }) => sessionId)]).toEqual(["ab", ["a"]]);
  });

  it("drops a session that the service does not have", async () => {
    const service = new FakeService("");
    const list = createList(service, [openRun("w")]);
    await list.load();
    expect(idsOf(list)).toBe("w");
    await list.remove("w");
    await list.load();

    expect(idsOf(list)).toBe("");
  });

  it("is of remembered sessions once the service has refused to list any, and asks no more for a list", async () => {
    const service = new FakeService("ab");
    let lists = 0;
    const refused = new ApiError({ code: "unauthorized", message: "No user." }, 401);
    service.sessions = async () => {
      lists += 1;
      return await Promise.reject(refused);
    };
    service.running = [{ runId: "r1", kind: "agent", name: "a", sessionId: "z", status: "running" }];
    const list = createList(service, [], { remembered: ["b", "gone", "a"] });
    await list.load();
    await list.load();

    expect([lists, idsOf(list), list.state.failure, list.state.open.size]).toEqual([1, "ab", undefined, 0]);
  });

  it("fails by any other refusal of the list, and lists again then", async () => {
    const service = new FakeService("ab");
    const list = createList(service);
    service.failure = new ApiError({ code: "forbidden", message: "No." }, 403);
    await list.load();
    expect([list.state.failure, list.state.isLoaded]).toEqual(["No.", true]);
    service.failure = undefined;
    await list.load();

    expect([list.state.failure, idsOf(list)]).toEqual([undefined, "ab"]);
  });
});
