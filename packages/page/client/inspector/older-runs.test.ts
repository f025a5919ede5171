import { createElement } from "preact";
import { act } from "preact/test-utils";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { InspectedRun, InspectedRunPage } from "../../src/inspector/inspected-run.ts";
import { showOnPage } from "../test/fake-page.ts";
import type { InspectorClient, RunFilter } from "./inspector-client.ts";
import { RunList } from "./run-list.tsx";

beforeEach(() => {
  vi.useFakeTimers({ now: 10_000 });
  vi.stubGlobal("document", { hidden: false });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Shows the list of runs. The newest page is what `newest` has then, and an older page arrives when the test says so. */
function showList() {
  const waiting: PromiseWithResolvers<InspectedRunPage>[] = [];
  let newest = pageOf("ba", "a");
  const client = {
    list: async ({ after }: RunFilter & { after?: string }) => {
      if (after === undefined) return await Promise.resolve(newest);
      const older = Promise.withResolvers<InspectedRunPage>();
      waiting.push(older);
      return await older.promise;
    },
  } as unknown as InspectorClient;
  const { body } = showOnPage((given: Parameters<typeof RunList>[0]) => createElement(RunList, given), {
    client,
    runId: "",
  });
  const pass = async (ms: number) => await act(async () => void (await vi.advanceTimersByTimeAsync(ms)));
  const ids = (): string =>
    body
      .all("a")
      .flatMap(({ attributes }) => /^#\/inspector\/(\w+)$/.exec(String(attributes["href"]))?.[1] ?? [])
      .join("");
  return {
    pass,
    ids,
    ask: () => body.all("button").at(-1)?.fire("click"),
    look: async (page: InspectedRunPage) => {
      newest = page;
      await pass(2500);
    },
    arrive: async (page: InspectedRunPage) => {
      waiting.shift()?.resolve(page);
      await pass(0);
    },
  };
}

/** A page of runs that are named by letters, of which a later one is newer. */
function pageOf(ids: string, next?: string): InspectedRunPage {
  const runs = ids.split("").map((runId) => {
    const facts = { runId, kind: "agent", name: "clerk", sessionId: "s", status: "running", attempts: 0 };
    return { ...facts, createdAt: runId.charCodeAt(0) } as InspectedRun;
  });
  return { runs, sees: "own", ...(next !== undefined && { next }) };
}

describe("while older runs are read", () => {
  it("newer runs that arrive stay, and each run is listed once", async () => {
    const { pass, ids, ask, look, arrive } = showList();
    await pass(0);
    ask();
    await look(pageOf("db", "b"));
    expect(ids()).toBe("dba");
    await arrive(pageOf("aZ"));

    expect(ids()).toBe("dbaZ");
  });

  it("a second request for them adds nothing twice", async () => {
    const { pass, ids, ask, arrive } = showList();
    await pass(0);
    ask();
    ask();
    await arrive(pageOf("ZY"));
    await arrive(pageOf("ZY"));

    expect(ids()).toBe("baZY");
  });
});
