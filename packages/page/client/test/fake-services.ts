import type { RunInfo, RunnableInfo, SessionInfo } from "@troupe-internal/client";
import type { Api } from "../api/api.ts";
import { Conversation } from "../chat/conversation.ts";
import { KeptTurns } from "../chat/kept-turns.ts";
import { OpenRuns } from "../chat/open-runs.ts";
import { StepGraphs } from "../chat/use-step-graph.ts";
import { createConversation } from "../chat/test/fake-conversation.ts";
import { Inbox } from "../inbox/inbox.ts";
import { KeyRing } from "../keys/key-ring.ts";
import type { Services } from "../services.ts";
import { Pins } from "../sessions/pins.ts";
import { SessionList } from "../sessions/session-list.ts";
import type { SessionApi } from "../sessions/session-list.ts";
import { Shares } from "../shares/shares.ts";
import { Theme } from "../ui/theme.ts";
import type { StoredValue } from "../ui/browser-storage.ts";

/** A value that a browser stores. */
export function storedInMemory(): StoredValue & { value: unknown } {
  return {
    value: undefined,
    read(isValid) {
      return isValid(this.value) ? this.value : undefined;
    },
    write(value) {
      this.value = value;
      return true;
    },
  };
}

/** The session list of a service, whose pages the test gives. It writes down what it is asked. */
class FakeSessions implements SessionApi {
  hasUsers = true;
  readonly told: string[];
  pages: { sessions: SessionInfo[]; next?: string }[] = [];
  running: RunInfo[] = [];
  failure: Error | undefined;

  constructor(told: string[]) {
    this.told = told;
  }

  async sessions({ after }: { after?: string } = {}) {
    if (this.failure !== undefined) throw this.failure;
    return await Promise.resolve(this.pages[Number(after ?? 0)] ?? { sessions: [] });
  }

  async session(sessionId: string): Promise<SessionInfo> {
    throw new Error(`Not listed: ${sessionId}.`);
  }

  async rename(sessionId: string, title: string): Promise<SessionInfo> {
    this.told.push(`rename ${sessionId} ${title}`);
    if (title === "bad") throw new Error("The title is bad.");
    return await Promise.resolve(sessionOf(sessionId, Date.now(), title));
  }

  async removeSession(sessionId: string): Promise<void> {
    this.told.push(`remove ${sessionId}`);
    if (this.failure !== undefined) throw this.failure;
    await Promise.resolve();
  }

  async newestRuns(): Promise<RunInfo[]> {
    return await Promise.resolve(this.running);
  }

  async cancel(runId: string): Promise<void> {
    this.told.push(`cancel ${runId}`);
    await Promise.resolve();
  }
}

export function sessionOf(sessionId: string, updatedAt: number, title?: string): SessionInfo {
  return { sessionId, createdAt: 0, updatedAt, turns: 1, ...(title !== undefined && { title }) };
}

/** Makes the objects that the views share, with a service that the test controls. */
export function fakeServices(runnables: readonly RunnableInfo[] | Error, fields: Partial<Services["settings"]> = {}) {
  const told: string[] = [];
  const { service } = createConversation();
  const listed = new FakeSessions(told);
  const memory = { openRuns: new OpenRuns(storedInMemory()), keptTurns: new KeptTurns(storedInMemory()) };
  const sessions = new SessionList(listed, storedInMemory(), memory);
  const conversation = new Conversation(service, memory, {
    begun: (sessionId, title) => sessions.begin(sessionId, title),
    moved: (sessionId) => void told.push(`moved ${sessionId ?? "away"}`),
    over: () => void told.push("over"),
  });
  const api = {
    runs: async () => await Promise.resolve({ runs: [] }),
    runnables: async () => {
      if (runnables instanceof Error) throw runnables;
      return await Promise.resolve(runnables);
    },
  } as unknown as Api;
  const settings: Services["settings"] = {
    title: "Troupe é",
    api: new URL("http://localhost/api/"),
    base: new URL("http://localhost/page/"),
    suggestions: { clerk: ["Où?", "Wann?"] },
    shown: undefined,
    hasUsers: true,
    hasSchedules: false,
    inspectorStyle: undefined,
    graphStyle: undefined,
    chartStyle: undefined,
    welcome: "What can I help you with?",
    logo: undefined,
    hasKeys: true,
    accent: undefined,
    shareMs: undefined,
    isShared: false,
    ...fields,
  };
  const keys = new KeyRing(storedInMemory());
  const inbox = new Inbox({ api, openRuns: memory.openRuns, sessions, inspect: undefined });
  const pins = new Pins(storedInMemory());
  const theme = new Theme(storedInMemory(), { colorScheme: "" });
  const stepGraphs = new StepGraphs(settings);
  const shares = new Shares(settings);
  const services: Services = { settings, api, keys, sessions, pins, shares, inbox, conversation, stepGraphs, theme };
  return { services, told, listed, service };
}
