import { setImmediate as nextTurn } from "node:timers/promises";
import { array, assert, constantFrom, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { EventBus } from "./event-bus.ts";

type Events = { started: { id: string }; ended: { id: string } };

const createBus = () => new EventBus<Events>();

describe("EventBus", () => {
  it("calls the handlers of an event with its data, in the order of their subscriptions [events.subscribe]", () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.on("started", ({ id }) => heard.push(`first ${id}`));
    bus.on("started", ({ id }) => heard.push(`second ${id}`));
    bus.on("ended", () => heard.push("never"));

    bus.emit("started", { id: "1" });

    expect(heard).toEqual(["first 1", "second 1"]);
  });

  it("ends a subscription by the returned function, which may be called twice", () => {
    const bus = createBus();
    const heard: string[] = [];
    const stop = bus.on("started", () => heard.push("stopped"));
    bus.on("started", () => heard.push("other"));

    stop();
    stop();
    bus.emit("started", { id: "1" });

    expect(heard).toEqual(["other"]);
  });

  it("calls a handler once per subscription, and ends all of them by off", () => {
    const bus = createBus();
    const heard: string[] = [];
    const handler = ({ id }: { id: string }) => heard.push(id);
    const stop = bus.on("started", handler);
    bus.on("started", handler);

    bus.emit("started", { id: "both" });
    stop();
    bus.emit("started", { id: "one" });
    bus.on("started", handler);
    bus.off("started", handler);
    bus.off("ended", handler);
    bus.emit("started", { id: "none" });

    expect(heard).toEqual(["both", "both", "one"]);
  });

  it("releases a subscription that has ended", () => {
    const bus = createBus();
    const stops = Array.from({ length: 100 }, () => bus.on("started", () => {}));

    expect(bus.has("started")).toBe(true);
    expect(bus.has("ended")).toBe(false);
    for (const stop of stops) stop();
    expect(bus.has("started")).toBe(false);
  });

  it("calls a handler added during an event from the next event on", () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.on("started", ({ id }) => {
      heard.push(`old ${id}`);
      if (id === "1") bus.on("started", (later) => heard.push(`new ${later.id}`));
    });

    bus.emit("started", { id: "1" });
    bus.emit("started", { id: "2" });

    expect(heard).toEqual(["old 1", "old 2", "new 2"]);
  });

  it("does not call a handler that was removed during the event", () => {
    const bus = createBus();
    const heard: string[] = [];
    const stopSelf = bus.on("started", () => {
      heard.push("self");
      stopSelf();
      stopNext();
    });
    const stopNext = bus.on("started", () => heard.push("next"));
    bus.on("started", () => heard.push("last"));

    bus.emit("started", { id: "1" });

    expect(heard).toEqual(["self", "last"]);
  });

  it("finishes a nested event first", () => {
    const bus = createBus();
    const heard: string[] = [];
    bus.on("started", ({ id }) => {
      bus.emit("ended", { id });
      heard.push("started");
    });
    bus.on("ended", () => heard.push("ended"));

    bus.emit("started", { id: "1" });

    expect(heard).toEqual(["ended", "started"]);
  });

  it("reports every handler that throws, at every event, and calls the others each time", () => {
    const reported: unknown[] = [];
    const bus = new EventBus<Events>({ onHandlerError: (error, name) => reported.push([name, String(error)]) });
    const heard: string[] = [];
    for (const text of ["one", "two"]) {
      bus.on("started", () => {
        throw new Error(text);
      });
      bus.on("started", ({ id }) => heard.push(`${id} after ${text}`));
    }

    bus.emit("started", { id: "1" });
    bus.emit("started", { id: "2" });

    expect(heard).toEqual(["1 after one", "1 after two", "2 after one", "2 after two"]);
    expect(reported).toEqual(["one", "two", "one", "two"].map((text) => ["started", `Error: ${text}`]));
  });

  it("reports a handler that throws or rejects, and calls the others", async () => {
    const reported: unknown[] = [];
    const bus = new EventBus<Events>({ onHandlerError: (error, name) => reported.push([name, String(error)]) });
    const heard: string[] = [];
    bus.on("started", () => {
      throw new Error("thrown");
    });
    bus.on("started", async () => {
      await nextTurn();
      throw new Error("rejected");
    });
    bus.on("started", () => heard.push("whole"));

    bus.emit("started", { id: "1" });
    await nextTurn();
    await nextTurn();

    expect(heard).toEqual(["whole"]);
    expect(reported).toEqual([
      ["started", "Error: thrown"],
      ["started", "Error: rejected"],
    ]);
  });

  it("ignores failing handlers without onHandlerError, and when it fails too", async () => {
    const failing = new EventBus<Events>({
      onHandlerError: () => {
        throw new Error("again");
      },
    });
    for (const bus of [createBus(), failing]) {
      bus.on("started", () => {
        throw new Error("thrown");
      });
      bus.on("started", () => Promise.reject(new Error("rejected")));

      expect(() => bus.emit("started", { id: "1" })).not.toThrow();
    }
    // An unhandled rejection would fail this file.
    await nextTurn();
  });

  it.each(["__proto__", "constructor", "toString", ""])("treats %j as any other event name", (name) => {
    const bus = new EventBus<Record<string, number>>();
    const heard: number[] = [];

    expect(bus.has(name)).toBe(false);
    bus.emit(name, 1);
    bus.on(name, (data) => heard.push(data));
    bus.emit(name, 2);

    expect(heard).toEqual([2]);
  });

  it("types the names of its events and the data of each", () => {
    const bus = createBus();
    bus.on("started", ({ id }) => id.toUpperCase());

    // @ts-expect-error there is no such event
    bus.emit("begun", { id: "1" });
    // @ts-expect-error this event has other data
    bus.emit("ended", { name: "1" });
    // @ts-expect-error a handler gets the data of its event
    bus.on("ended", ({ name }) => name);

    expect(bus.has("started")).toBe(true);
  });

  it("rejects a handler that is no function and a name that is no string", () => {
    const bus = createBus();

    expect(() => bus.on("started", "text" as never)).toThrow(
      "The handler of started must be a function, got a string.",
    );
    expect(() => bus.on(5 as never, () => {})).toThrow("The event name must be a string, got 5.");
    expect(() => new EventBus({ onHandlerError: 5 as never })).toThrow("onHandlerError must be a function, got 5.");
  });

  it("calls each handler for all events since its subscription, whatever other handlers do", () => {
    const deed = constantFrom("emit", "join A", "leave A", "join B", "leave B");

    assert(
      property(array(deed, { maxLength: 40 }), (deeds) => {
        const bus = createBus();
        const expected: Record<string, string[]> = { A: [], B: [] };
        const heard: Record<string, string[]> = { A: [], B: [] };
        const stops = new Map<string, () => void>();
        for (const [index, each] of deeds.entries()) {
          const [verb, who = ""] = each.split(" ");
          if (verb === "join" && !stops.has(who))
            stops.set(
              who,
              bus.on("started", ({ id }) => heard[who]?.push(id)),
            );
          if (verb === "leave") {
            stops.get(who)?.();
            stops.delete(who);
          }
          if (verb === "emit") {
            for (const listener of stops.keys()) expected[listener]?.push(String(index));
            bus.emit("started", { id: String(index) });
          }
        }

        expect(heard).toEqual(expected);
        expect(bus.has("started")).toBe(stops.size > 0);
      }),
    );
  });
});
