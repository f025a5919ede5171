import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import { runEventNames } from "../run/run-events.ts";
import type { RunEventName, RunEvents } from "../run/run-events.ts";
import { MemberEvents } from "./member-events.ts";
import { plainMembers } from "./test/plain-members.ts";

type Ids = { runId: string; parentRunId?: string };

/** A team's bus that keeps what is forwarded, and its members with buses of their own. */
function teamOf() {
  const target = new EventBus<RunEvents>();
  const members = plainMembers({ ann: {}, bob: {} }).map(({ runnable }) => runnable);
  const events = new MemberEvents(target, members);
  const seen: string[] = [];
  for (const name of runEventNames)
    target.on(name, ({ runId }: RunEvents[RunEventName]) => void seen.push(`${name} ${runId}`));
  const [ann, bob] = members.map(({ eventBus }) => eventBus) as [EventBus<RunEvents>, EventBus<RunEvents>];
  // The events are forwarded as they are: their other fields do not matter.
  const emit = (bus: EventBus<RunEvents>, name: RunEventName, ids: Ids) =>
    bus.emit(name, ids as RunEvents[typeof name]);
  const isListening = (bus: EventBus<RunEvents>) => runEventNames.map((name) => bus.has(name));
  return { target, members, events, seen, ann, bob, emit, isListening };
}

describe("MemberEvents", () => {
  it("forwards every event of a run's child runs, and of those within them", () => {
    const { events, seen, ann, bob, emit } = teamOf();
    events.open("team");
    for (const name of runEventNames) emit(ann, name, { runId: name, parentRunId: "team" });
    emit(bob, "run.start", { runId: "child", parentRunId: "team" });
    emit(ann, "run.start", { runId: "grandchild", parentRunId: "child" });
    emit(ann, "tool.call", { runId: "grandchild" });
    emit(bob, "run.complete", { runId: "child", parentRunId: "team" });

    expect(seen).toEqual([
      ...runEventNames.map((name) => `${name} ${name}`),
      "run.start child",
      "run.start grandchild",
      "tool.call grandchild",
      "run.complete child",
    ]);
  });

  it("forwards nothing of runs for others, nor of a child run that has ended", () => {
    const { events, seen, ann, emit } = teamOf();
    emit(ann, "run.start", { runId: "early", parentRunId: "team" });
    events.open("team");
    emit(ann, "run.start", { runId: "stranger" });
    emit(ann, "run.start", { runId: "stranger", parentRunId: "other" });
    emit(ann, "tool.call", { runId: "stranger" });
    emit(ann, "run.start", { runId: "child", parentRunId: "team" });
    emit(ann, "run.error", { runId: "child" });
    emit(ann, "tool.call", { runId: "child" });

    expect(seen).toEqual(["run.start child", "run.error child"]);
  });

  it("forwards an event once, though buses lead back to each other", () => {
    const { events, seen, ann, bob, emit } = teamOf();
    ann.on("tool.call", (data) => bob.emit("tool.call", data));
    events.open("team");
    emit(ann, "tool.call", { runId: "child", parentRunId: "team" });
    emit(ann, "tool.call", { runId: "child", parentRunId: "team" });

    expect(seen).toEqual(["tool.call child", "tool.call child"]);
  });

  it("listens while a run or a child run is open, and no longer", () => {
    const { events, seen, ann, bob, emit, isListening } = teamOf();
    const [on, off] = [runEventNames.map(() => true), runEventNames.map(() => false)];
    expect(isListening(ann)).toEqual(off);
    for (let round = 1; round <= 2; round++) {
      events.open("one");
      events.open("two");
      emit(ann, "run.start", { runId: "child", parentRunId: "one" });
      events.close("one");
      events.close("two");
      events.close("two");
      expect([isListening(ann), isListening(bob)]).toEqual([on, on]);
      emit(bob, "run.start", { runId: "late", parentRunId: "one" });
      emit(ann, "tool.call", { runId: "child" });
      emit(ann, "run.complete", { runId: "child" });
      expect([isListening(ann), isListening(bob)]).toEqual([off, off]);
    }
    const once = ["run.start child", "tool.call child", "run.complete child"];
    expect(seen).toEqual([...once, ...once]);
  });

  it("subscribes once for several runs, and to a bus that several members share once", () => {
    const { target, members, seen, ann, emit } = teamOf();
    const [first] = members;
    const events = new MemberEvents(target, first === undefined ? [] : [first, first]);
    events.open("one");
    events.open("two");
    emit(ann, "tool.call", { runId: "child", parentRunId: "two" });
    events.close("one");
    emit(ann, "tool.call", { runId: "child", parentRunId: "two" });
    events.close("two");
    emit(ann, "tool.call", { runId: "child", parentRunId: "two" });

    expect(seen).toEqual(["tool.call child", "tool.call child"]);
  });

  it("does not listen to a member that has the team's own bus", () => {
    const { target, members } = teamOf();
    const [first] = members;
    const own = first === undefined ? [] : [{ ...first, eventBus: target }];
    const events = new MemberEvents(target, own);
    events.open("team");
    let count = 0;
    target.on("tool.call", () => void (count += 1));
    target.emit("tool.call", { runId: "child", parentRunId: "team" } as RunEvents["tool.call"]);

    expect(count).toBe(1);
  });
});
