import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ClientFactory as ClientFactory03 } from "a2a-sdk-03/client";
import { TaskState } from "a2a-sdk-1";
import { ClientFactory as ClientFactory1 } from "a2a-sdk-1/client";
import { TestChild } from "@troupe-internal/fault-tools";
import { expect, it, onTestFinished } from "vitest";

const [first, rest] = ["One, two, ", "three."];
const whole = first + rest;

/** An artifact update as a stream of either version has it. */
type Update = { artifact: { artifactId: string; parts: unknown[] }; append?: boolean };

/** A task as `get` of either version has it. */
type Task = { id: string; status: { state: string | number }; artifacts: { parts: unknown[] }[]; history: unknown[] };

/** An official client, in the same words for both versions. */
type Peer = {
  stream(text: string): AsyncIterable<object>;
  resubscribe(id: string): AsyncIterable<object>;
  get(id: string): Promise<Task>;
};

async function connect03(url: string): Promise<Peer> {
  const client = await new ClientFactory03().createFromUrl(url);
  return {
    stream: (text) => {
      const parts = [{ kind: "text" as const, text }];
      return client.sendMessageStream({ message: { kind: "message", messageId: "m-1", role: "user", parts } });
    },
    resubscribe: (id) => client.resubscribeTask({ id }),
    get: async (id) => (await client.getTask({ id })) as Task,
  };
}

async function connect1(url: string): Promise<Peer> {
  const client = await new ClientFactory1().createFromUrl(url);
  const ids = { messageId: "m-1", contextId: "", taskId: "", role: 1, extensions: [], referenceTaskIds: [] };
  return {
    stream: (value) => {
      const content = { $case: "text" as const, value };
      const parts = [{ content, metadata: undefined, filename: "", mediaType: "text/plain" }];
      const message = { ...ids, parts, metadata: undefined };
      return client.sendMessageStream({ tenant: "", message, configuration: undefined, metadata: undefined });
    },
    resubscribe: (id) => client.resubscribeTask({ tenant: "", id }),
    get: async (id) => (await client.getTask({ tenant: "", id, historyLength: undefined })) as unknown as Task,
  };
}

/** A client's knowledge of a task, by the events of its streams. */
class Follower {
  id = "";
  lastState: string | number | undefined;
  readonly #artifacts = new Map<string, string>();

  get text(): string {
    return [...this.#artifacts.values()].join("");
  }

  /** Reads a stream until it ends, it breaks, or the text is as it should be. */
  async read(events: AsyncIterable<object>, isEnough: (text: string) => boolean = () => false): Promise<void> {
    for await (const event of events) {
      this.#take(event);
      if (isEnough(this.text)) return;
    }
  }

  #take(event: object): void {
    // Events of 1.0 come as `{ payload: { $case, value } }`, those of 0.3 with their kind.
    const { payload } = event as { payload?: { value: object } };
    const value = payload?.value ?? event;
    const { id, status } = value as Partial<Task>;
    this.id = id ?? this.id;
    this.lastState = status?.state ?? this.lastState;
    if ("artifact" in value) this.#takeArtifact(value as Update);
  }

  #takeArtifact({ artifact: { artifactId, parts }, append = false }: Update): void {
    const before = append ? (this.#artifacts.get(artifactId) ?? "") : "";
    this.#artifacts.set(artifactId, before + parts.map(textOf).join(""));
  }
}

/** Returns the text of a part of either version. */
function textOf(part: unknown): string {
  const { text, content } = part as { text?: string; content?: { value: string } };
  return text ?? content?.value ?? "";
}

async function startService(file: string): Promise<{ child: TestChild; url: string }> {
  const child = await TestChild.start(new URL("./durable-service.ts", import.meta.url), {
    args: [file, first, rest],
  });
  onTestFinished(async () => void (await child.kill()));
  const { port } = await child.next((message): message is { port: number } => {
    return typeof (message as { port?: unknown }).port === "number";
  });
  return { child, url: `http://127.0.0.1:${port}` };
}

const peers = [connect03, connect1];

it("official clients of 0.3 and 1.0 resubscribe after a kill in the middle of a text, and have it whole and once [a2a.restart] [a2a.sdk-clients]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-a2a-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "troupe.db");
  const before = await startService(file);
  const followers = await Promise.all(
    peers.map(async (connect) => {
      const follower = new Follower();
      await follower.read((await connect(before.url)).stream("Count."), (text) => text === first);
      return { connect, follower, late: new Follower() };
    }),
  );
  await before.child.kill();

  const after = await startService(file);
  const readings = followers.map(async ({ connect, follower, late }) => {
    const { id } = follower;
    const peer = await connect(after.url);
    const reading = Promise.all([follower.read(peer.resubscribe(id)), late.read(peer.resubscribe(id))]);
    // It has the text of the second attempt, which begins anew.
    await expect.poll(() => late.text).toBe(first);
    return { follower, late, peer, reading };
  });
  const read = await Promise.all(readings);
  after.child.send({ goOn: true });
  for (const { follower, late, peer, reading } of read) {
    await reading;
    for (const { text, lastState } of [follower, late]) {
      expect(text).toBe(whole);
      expect(["completed", TaskState.TASK_STATE_COMPLETED]).toContain(lastState);
    }
    const { id, lastState } = follower;
    const task = await peer.get(id);
    expect(task).toMatchObject({ id, status: { state: lastState } });
    expect(task.artifacts.map(({ parts }) => parts.map(textOf).join(""))).toEqual([whole]);
    expect(task.history).toHaveLength(1);
    expect(JSON.stringify(task.history)).toContain("Count.");
  }
});
