import { describe, expect, it, vi } from "vitest";
import { WatchedNamespaces } from "./watched-namespaces.ts";

/** Waits until all changes are told, also those that listeners cause. */
const told = () => new Promise((resolve) => setImmediate(resolve));

const listener = () => vi.fn<() => unknown>();

describe("WatchedNamespaces", () => {
  it("calls the listeners of a changed namespace alone, after the call that changes it", async () => {
    const watched = new WatchedNamespaces();
    const [first, second, other] = [listener(), listener(), listener()];
    watched.add("runs", first);
    watched.add("runs", second);
    watched.add("run", other);
    watched.change("runs");
    expect(first).not.toHaveBeenCalled();
    await Promise.resolve();

    expect([first, second, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0]);
  });

  it("calls a listener once for all changes until then, and once more for those after it", async () => {
    const watched = new WatchedNamespaces();
    const [runs, log] = [listener(), listener()];
    watched.add("runs", runs);
    watched.add("log", log);
    watched.change("runs");
    watched.change("log");
    watched.change("runs");
    await told();
    expect([runs, log].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);

    watched.change("log");
    await told();
    expect([runs, log].map(({ mock }) => mock.calls.length)).toEqual([1, 2]);
  });

  it("drops a change that has no listener: a later one is not told of it", async () => {
    const watched = new WatchedNamespaces();
    const [early, late] = [listener(), listener()];
    watched.change("runs");
    watched.add("runs", late);
    watched.add("log", early);
    await told();

    expect([early, late].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it.each([
    ["its own namespace", "runs"],
    ["another namespace that has just been told", "log"],
    ["another namespace that is told next", "zoo"],
  ])("tells a change that a listener makes in %s", async (_where, namespace) => {
    const watched = new WatchedNamespaces();
    const calls: string[] = [];
    for (const name of ["log", "runs", "zoo"]) watched.add(name, () => calls.push(name));
    let isFirst = true;
    watched.add("runs", () => {
      if (isFirst) watched.change(namespace);
      isFirst = false;
    });
    for (const name of ["log", "runs", "zoo"]) watched.change(name);
    await told();

    expect(calls).toEqual(["log", "runs", "zoo", namespace]);
  });

  it("tells a listener that is added meanwhile of the next change", async () => {
    const watched = new WatchedNamespaces();
    const late = listener();
    watched.add("runs", () => watched.add("runs", late));
    watched.change("runs");
    await told();
    expect(late).not.toHaveBeenCalled();

    watched.change("runs");
    await told();
    expect(late).toHaveBeenCalledTimes(1);
  });

  it("does not call a listener that another one has removed", async () => {
    const watched = new WatchedNamespaces();
    const [before, after] = [listener(), listener()];
    const removers = [() => {}];
    const removeBefore = watched.add("runs", before);
    watched.add("runs", () => removers.forEach((remove) => remove()));
    removers.push(watched.add("runs", after), removeBefore);
    watched.change("runs");
    await told();

    expect([before, after].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  });

  it("does not call the listeners that are removed between the change and its microtask", async () => {
    const watched = new WatchedNamespaces();
    const [removed, kept] = [listener(), listener()];
    const remove = watched.add("runs", removed);
    watched.add("runs", kept);
    watched.change("runs");
    remove();
    await told();

    expect([removed, kept].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  it.each<[string, () => unknown]>([
    [
      "throws",
      () => {
        throw new Error("of a listener");
      },
    ],
    ["rejects", () => Promise.reject(new Error("of a listener"))],
  ])("goes on behind a listener that %s", async (_how, fail) => {
    const watched = new WatchedNamespaces();
    const [next, other] = [listener(), listener()];
    watched.add("runs", fail);
    watched.add("runs", next);
    watched.add("log", other);
    for (const round of [1, 2]) {
      watched.change("runs");
      watched.change("log");
      await told();
      expect([next, other].map(({ mock }) => mock.calls.length)).toEqual([round, round]);
    }
  });

  it("counts a listener that is added twice as two", async () => {
    const watched = new WatchedNamespaces();
    const twice = listener();
    const [removeFirst, removeSecond] = [watched.add("runs", twice), watched.add("runs", twice)];
    removeFirst();
    // A second removal takes away no other one.
    removeFirst();
    expect(watched.isEmpty).toBe(false);
    watched.change("runs");
    await told();
    expect(twice).toHaveBeenCalledTimes(1);

    removeSecond();
    expect(watched.isEmpty).toBe(true);
    watched.change("runs");
    await told();
    expect(twice).toHaveBeenCalledTimes(1);
  });

  it("is empty once all namespaces are, and takes listeners again", async () => {
    const watched = new WatchedNamespaces();
    expect(watched.isEmpty).toBe(true);
    const [removeRuns, removeLog] = [watched.add("runs", () => {}), watched.add("log", () => {})];
    removeRuns();
    expect(watched.isEmpty).toBe(false);
    removeLog();
    expect(watched.isEmpty).toBe(true);

    const again = listener();
    watched.add("runs", again);
    // A removal of the one before it.
    removeRuns();
    watched.change("runs");
    await told();
    expect(again).toHaveBeenCalledTimes(1);
  });

  it("tells all listeners of all namespaces when anything may have changed", async () => {
    const watched = new WatchedNamespaces();
    const listeners = [listener(), listener(), listener()];
    for (const [index, each] of listeners.entries()) watched.add(index === 2 ? "log" : "runs", each);
    watched.changeAll();
    await told();

    expect(listeners.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
  });

  it("calls nobody after it was cleared, also of a change before that", async () => {
    const watched = new WatchedNamespaces();
    const [cleared, later] = [listener(), listener()];
    const remove = watched.add("runs", cleared);
    watched.change("runs");
    watched.clear();
    expect(watched.isEmpty).toBe(true);
    await told();
    expect(cleared).not.toHaveBeenCalled();

    watched.add("runs", later);
    remove();
    watched.change("runs");
    await told();
    expect([cleared, later].map(({ mock }) => mock.calls.length)).toEqual([0, 1]);
  });

  it("calls no listener behind one that clears", async () => {
    const watched = new WatchedNamespaces();
    const [next, other] = [listener(), listener()];
    watched.add("runs", () => watched.clear());
    watched.add("runs", next);
    watched.add("log", other);
    watched.changeAll();
    await told();

    expect([next, other].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });
});
