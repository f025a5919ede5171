import type { RunEvent, RunView } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import {
  artifact,
  attempt,
  end,
  ended,
  form,
  follow,
  made,
  queued,
  running,
  said,
  soon,
  status,
  takeAll,
  task,
  wait,
  waits,
  whole,
} from "../../test/followed-task.ts";
import { createArtifact } from "../agent/artifact.ts";
import { messageReply, completedReply } from "../agent/reply.ts";
import { toTask } from "./task-view.ts";

describe("artifacts of a task that is followed", () => {
  const pieces = [
    createArtifact({ artifactId: "a", parts: "1", append: false }),
    createArtifact({ artifactId: "a", parts: "2", append: true, isLast: true }),
  ];
  const byTool = pieces.map((each) => ({ ...each, toolCallId: "c1", toolName: "draw" }));

  it("are sent at once, behind the text, and not again at the end", async () => {
    const run = ended("", { artifacts: byTool });
    const { follower, sent } = follow(running, run);
    await follower.begin();
    await takeAll(follower, [said("2.0", "Look: "), made("2.1", pieces)]);
    const shown = [artifact("a", "1", { isLast: false }), artifact("a", "2", { append: true })];
    expect(sent.slice(1)).toEqual([["Look: ", { append: false, isLast: false }], ...shown]);
    await takeAll(follower, [end]);
    expect(sent.slice(4)).toEqual([status(run)]);
  });

  it("are sent whole at the end where a part was not, or their step was reset", async () => {
    const run = ended("", { artifacts: byTool });
    const both = {
      ...artifact("a", "1"),
      artifact: {
        artifactId: "a",
        parts: [
          { kind: "text", text: "1" },
          { kind: "text", text: "2" },
        ],
      },
    };
    for (const events of [
      [made("2.0", pieces.slice(0, 1))],
      [made("2.0", pieces), { id: "3.0", type: "reset", step: "t.0" }],
    ]) {
      const { follower, sent } = follow(running, run);
      await follower.begin();
      await takeAll(follower, [...(events as RunEvent[]), end]);
      expect(sent.slice(-2)).toEqual([both, status(run)]);
    }
  });

  it("begin anew where what they add to was reset", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [
      made("2.0", pieces),
      { id: "3.0", type: "reset", step: "t.0" },
      made("4.0", pieces.slice(1)),
    ]);
    expect(sent.at(-1)).toEqual(artifact("a", "2"));
  });

  it("take the place of one with the same id that is whole", async () => {
    const again = pieces.slice(0, 1);
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [made("2.0", pieces), made("3.0", again)]);
    expect(sent.at(-1)).toEqual(artifact("a", "1", { isLast: false }));
  });

  it("have the data of the answer beside its text", async () => {
    const run = ended("Rain.", { structured: 1 });
    const { follower, sent } = follow(running, run);
    await follower.begin();
    await takeAll(follower, [said("2.0", "Rain."), end]);
    const { artifacts } = toTask(run, form);
    expect(sent.slice(1)).toEqual([
      ["Rain.", { append: false, isLast: false }],
      { ...artifact("response", ""), artifact: artifacts[0] },
      status(run),
    ]);
  });

  it("artifacts that say how a followed task ends are the last of its text", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await takeAll(follower, [made("2.0", completedReply("Done.").artifacts), said("3.0", "Done.")]);
    await soon();
    expect(sent).toEqual([task(running)]);
  });
});

describe("a task that is held back", () => {
  const reply = messageReply("Hi.");
  const message = ended("Hi.", { artifacts: reply.artifacts });

  it("gives its place to the message that it ends with", async () => {
    const { follower, sent } = follow(queued, message, { takesMessage: true });
    await follower.begin();
    expect(await takeAll(follower, [attempt(1), made("2.0", reply.artifacts), end])).toEqual([false, false, true]);
    const parts = [{ kind: "text", text: "Hi." }];
    expect(sent).toEqual([{ type: "message", message: { messageId: "r:end", role: "agent", contextId: "s", parts } }]);
  });

  it("is sent as it then is, with the first thing that it shows", async () => {
    const { follower, sent } = follow(queued, message, { takesMessage: true });
    await follower.begin();
    await takeAll(follower, [attempt(1), attempt(2, 7), said("2.0", "Wait. "), end]);
    const shown = { ...queued, status: "running", startedAt: 5, attempts: 1 } as const;
    expect(sent).toEqual([task(shown), ["Wait. ", { append: false, isLast: false }], status(message)]);
  });
});

describe("the end of a task that is followed", () => {
  const waiting: RunView = { ...running, status: "waiting", waits: [wait] };

  it.each([
    { name: "a new question", start: running, settled: waiting, ends: true, sent: [status(waiting)] },
    { name: "a question that was known", start: waiting, settled: waiting, ends: false, sent: [] },
    { name: "a question that was answered meanwhile", start: running, settled: undefined, ends: false, sent: [] },
    { name: "a question of a task that is over", start: running, settled: ended("Rain."), ends: false, sent: [] },
  ])("is where it asks: $name", async ({ start, settled, ends, sent: expected }) => {
    const { follower, sent } = follow(start, settled);
    await follower.begin();
    expect(await follower.take(waits)).toBe(ends);
    expect(sent.slice(1)).toEqual(expected);
  });

  it("is silent where the client has left", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    expect(await follower.take(end)).toBe(true);
    expect(sent).toEqual([task(running)]);
  });

  it("sends what was gathered, and the artifacts whole, to a reader that was too late", async () => {
    const run = ended("Rain.");
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await follower.take(said("2.0", "Ra"));
    await follower.skipTo(run);
    expect(sent.slice(1)).toEqual([["Ra", { append: false, isLast: false }], whole("Rain."), status(run)]);

    const late = follow(running, undefined);
    await late.follower.skipTo(waiting);
    await late.follower.skipTo(undefined);
    expect(late.sent).toEqual([task(running), status(waiting)]);
  });

  it("sends no text any more once it was ended", async () => {
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await follower.take(said("2.0", "Ra"));
    follower.end();
    await soon();
    expect(sent).toEqual([task(running)]);
  });

  it("waits for a reader that is behind, between one event and the next", async () => {
    const { follower, sent, gates } = follow(running, ended("Rain."), { isBehind: true });
    const taken = (async () => {
      await follower.begin();
      await takeAll(follower, [said("2.0", "Ra"), end]);
    })();
    const counts: number[] = [];
    for (let index = 0; index < 4; index++) {
      await soon();
      counts.push(sent.length);
      gates[index]?.();
    }
    await taken;
    expect(counts).toEqual([1, 2, 3, 4]);
  });

  it("comes behind the text that was gathered, where it asks or has no answer to show", async () => {
    const asking = follow(running, waiting);
    await asking.follower.begin();
    expect(await takeAll(asking.follower, [said("2.0", "Hm."), waits])).toEqual([false, true]);
    expect(asking.sent.slice(1)).toEqual([["Hm.", { append: false, isLast: false }], status(waiting)]);

    const blocked: RunView = {
      ...running,
      status: "error",
      endedAt: 9,
      output: { text: "Hm." },
      error: { code: "guardrail_blocked", message: "No." },
    };
    const failing = follow(running, blocked);
    await failing.follower.begin();
    expect(await takeAll(failing.follower, [said("2.0", "Hm."), end])).toEqual([false, true]);
    expect(failing.sent.slice(1)).toEqual([["Hm.", { append: false, isLast: false }], status(blocked)]);
  });

  it("has its artifacts whole again for a reader that was too late, though it had them", async () => {
    const made1 = createArtifact({ artifactId: "a", parts: "1" });
    const run = ended("", { artifacts: [{ ...made1, toolCallId: "c1", toolName: "draw" }] });
    const { follower, sent } = follow(running, undefined);
    await follower.begin();
    await follower.take(made("2.0", [made1]));
    await follower.skipTo(run);
    expect(sent.slice(1)).toEqual([artifact("a", "1"), artifact("a", "1"), status(run)]);
  });

  it("waits for a reader that is behind, between one artifact and the next", async () => {
    const made2 = ["1", "2"].map((parts, index) => createArtifact({ artifactId: `a${index}`, parts }));
    const run = ended("Rain.", { artifacts: made2.map((each) => ({ ...each, toolCallId: "c1", toolName: "draw" })) });
    for (const events of [[made("2.0", made2)], [end]]) {
      const { follower, sent, gates } = follow(running, run, { isBehind: true });
      const taken = (async () => {
        await follower.begin();
        await takeAll(follower, events);
      })();
      const counts: number[] = [];
      for (let index = 0; index < 3; index++) {
        await soon();
        counts.push(sent.length);
        gates[index]?.();
      }
      expect(counts).toEqual([1, 2, 3]);
      for (let index = 3; index < 6; index++) {
        await soon();
        gates[index]?.();
      }
      await taken;
    }
  });
});
