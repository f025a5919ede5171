import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { findDurableNames, PerformerWatch } from "./durable-service.ts";

const entry = (name: string) => ({ name }) as never;
const [one, two, flow] = ["one", "two", "flow"].map(entry) as [never, never, never];
const logger = { warn: vi.fn<(message: string, fields?: object) => void>(), error: vi.fn<(message: string) => void>() };
beforeEach(() => void vi.clearAllMocks());

/** A service with these entries, as far as it is asked for them. */
function serviceOf(entries: Record<string, Record<string, object>>) {
  const hosting = { checkServable: vi.fn<() => void>(), names: (kind: string) => Object.keys(entries[kind] ?? {}) };
  return { hosting, find: (kind: string, name: string) => entries[kind]?.[name] } as never;
}

const served = { agents: new Map([["a", one]]), teams: new Map([["a", two]]), workflows: new Map([["w", flow]]) };
const find = (durable: undefined, runnables: object = served) =>
  findDurableNames(runnables as never, { durable, logger: logger as never });
const refused = (message: string) => expect.objectContaining({ code: "invalid_config", message });

describe("the names whose runs are durable", () => {
  it("are those that the service has, each kind by itself", () => {
    expect(find(serviceOf({ agent: { a: one }, team: { a: two }, workflow: { w: flow } }))).toEqual({
      agent: new Set("a"),
      team: new Set("a"),
      workflow: new Set("w"),
    });
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("are none without a service", () => {
    expect(find(undefined)).toEqual({ agent: new Set(), team: new Set(), workflow: new Set() });
  });

  it("are told where the two differ, on either side", () => {
    const names = find(serviceOf({ agent: { a: one, b: two }, workflow: {} }));
    expect(names).toEqual({ agent: new Set("a"), team: new Set(), workflow: new Set() });
    const message =
      "The RunService and what serves it have different names: runs under `plain` names end with their connection, and nothing here begins runs under `notServed` names.";
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(message, {
      durable: ["agent a"],
      plain: ["team a", "workflow w"],
      notServed: ["agent b"],
    });
  });

  it("are not missed where a transport has no such kind", () => {
    const { workflows: _, ...plain } = served;
    find(serviceOf({ agent: { a: one }, team: { a: two }, workflow: { w: flow } }), plain);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("are refused for another entry of the name, and for a service that serves nothing of it", () => {
    expect(() => find(serviceOf({ team: { a: one } }))).toThrow(
      refused('runs has another team under the name "a". Give the same team to both.'),
    );
    expect(() => find(serviceOf({ agent: { b: one } }))).toThrow(
      refused("runs performs nothing that is served here. Give the same agents, teams or workflows to both."),
    );
  });

  it("are refused for a service that may not be served", () => {
    const service = serviceOf({ agent: { a: one } }) as { hosting: { checkServable: () => void } };
    service.hosting.checkServable = () => {
      throw new Error("no seal keys");
    };
    expect(() => find(service as never)).toThrow("no seal keys");
  });
});

describe("the watch of those that perform", () => {
  type Performer = "here" | "elsewhere" | "none yet" | "nothing";
  function watchOf(isShared: boolean) {
    const findPerformer = vi.fn<() => Promise<Performer>>(async () => "here");
    const watch = new PerformerWatch({ hosting: { isShared, findPerformer } } as never, logger as never);
    return { watch, findPerformer };
  }

  it.each(["here", "elsewhere"] as const)("lets runs begin that are performed %s", async (performer) => {
    const { watch, findPerformer } = watchOf(false);
    findPerformer.mockResolvedValue(performer);
    await expect(watch.check()).resolves.toBeUndefined();
    expect([logger.warn, logger.error].flatMap(({ mock }) => mock.calls)).toEqual([]);
  });

  it("refuses each run that nothing can perform, tells the host once, and again after something did", async () => {
    const { watch, findPerformer } = watchOf(false);
    findPerformer.mockResolvedValue("nothing");
    const message = "The service does not perform such runs at present. Try again later.";
    for (let times = 0; times < 2; times++)
      await expect(watch.checkRequest()).rejects.toMatchObject({ code: "unavailable", message });
    expect(logger.error).toHaveBeenCalledExactlyOnceWith(
      "Durable runs are refused: nothing performs them. Call `await runs.serve()` in this process, beside what serves it.",
    );
    findPerformer.mockResolvedValueOnce("here");
    await watch.check();
    await expect(watch.check()).rejects.toMatchObject({ code: "unavailable" });
    expect(logger.error).toHaveBeenCalledTimes(2);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it("warns once that runs wait, and refuses none", async () => {
    const { watch, findPerformer } = watchOf(false);
    findPerformer.mockResolvedValue("none yet");
    for (let times = 0; times < 2; times++) await watch.check();
    expect(logger.warn).toHaveBeenCalledExactlyOnceWith(
      "Durable runs wait: no live process performs them. Call `await runs.serve()` in at least one process of the service.",
    );
    expect(logger.error).not.toHaveBeenCalled();
    findPerformer.mockResolvedValueOnce("elsewhere");
    for (let times = 0; times < 2; times++) await watch.check();
    expect(logger.warn).toHaveBeenCalledTimes(2);
  });

  it("looks every ten seconds where others may perform, and holds up no request, not even by a failing storage", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const { watch, findPerformer } = watchOf(true);
    findPerformer.mockRejectedValue(new Error("storage"));
    await watch.checkRequest();
    vi.advanceTimersByTime(9999);
    await watch.checkRequest();
    expect(findPerformer).toHaveBeenCalledOnce();
    vi.advanceTimersByTime(1);
    findPerformer.mockResolvedValue("nothing");
    await expect(watch.checkRequest()).resolves.toBeUndefined();
    expect(findPerformer).toHaveBeenCalledTimes(2);
  });
});
