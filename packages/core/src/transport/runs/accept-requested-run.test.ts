import { describe, expect, it, vi } from "vitest";
import { acceptRequestedRun } from "./accept-requested-run.ts";
import type { AnyRequestedRun, StoredTerms } from "./accept-requested-run.ts";

type Accepted = { runId: string; sessionId: string; isNew: boolean };

/** A service that notes what it accepts, and whose run ends when the test says so. */
function serviceOf(accepted: Partial<Accepted> = {}) {
  const accept = vi.fn<(request: Record<string, unknown>) => Promise<Accepted>>(async () => {
    return { runId: "r", sessionId: "s", isNew: true, ...accepted };
  });
  const cancel = vi.fn<() => Promise<string>>(async () => "cancelled");
  const end = Promise.withResolvers<{ type: string }>();
  async function* events() {
    yield { type: "chunk" };
    yield await end.promise;
  }
  return { service: { accept, cancel, events }, accept, cancel, end };
}

function activeRunsOf(begin = () => vi.fn<() => void>()) {
  const ended = begin();
  const cancels: ((reason: unknown) => void)[] = [];
  const active = {
    checkOpen: vi.fn<() => void>(),
    begin: vi.fn<(id: string, reach: object, cancel: (reason: unknown) => void) => () => void>(
      (_id, _reach, cancel) => {
        cancels.push(cancel);
        return ended;
      },
    ),
  };
  return { active, ended, cancels };
}

const image = { type: "image", data: "aGVsbG8=" };
const opts = {
  runId: "r",
  sessionId: "s",
  userId: "ada",
  tenantId: "t",
  apiKey: "sk-1",
  apiKeys: { openai: "sk-2" },
  metadata: { é: 1 },
  messages: [{ role: "user", content: [image] }],
  limits: { maxSteps: 1 },
  modelOptions: { temperature: 0 },
  instructions: "x",
};
const requested = {
  input: "Hi",
  opts,
  owner: { userId: "ada", tenantId: "t" },
  address: "1.2.3.4",
} as unknown as AnyRequestedRun;

async function requestOf(target: Partial<StoredTerms>, change: object = {}): Promise<Record<string, unknown>> {
  const { service, accept } = serviceOf();
  const given = { ...requested, opts: { ...requested.opts, ...change } };
  const whole = { kind: "agent", name: "a", isDurable: true, service, ...target } as never;
  await acceptRequestedRun(given, whole, activeRunsOf().active as never);
  return accept.mock.calls[0]?.[0] ?? {};
}

describe("a run that a service is to store", () => {
  it("has all that a record can hold in its options when it is durable, and its keys beside them", async () => {
    const request = await requestOf({ note: "n", ttlMs: 5 });
    const { sessionId, limits, modelOptions, instructions, messages, metadata } = opts;
    expect(request).toMatchObject({
      kind: "agent",
      name: "a",
      runId: "r",
      input: "Hi",
      options: { sessionId, limits, modelOptions, instructions, messages, metadata },
      owner: { userId: "ada", tenantId: "t" },
      address: "1.2.3.4",
      keys: { apiKey: "sk-1", apiKeys: { openai: "sk-2" } },
      note: "n",
      ttlMs: 5,
    });
    expect(request).not.toHaveProperty("local");
  });

  it("stores what the request brought in this process when it is not", async () => {
    const [model, tools] = [{}, []];
    const request = await requestOf({ isDurable: false }, { model, tools });
    const { metadata, messages, limits, modelOptions, instructions, sessionId } = opts;
    expect(request["local"]).toEqual({
      input: "Hi",
      messages,
      metadata,
      model,
      tools,
      signal: expect.any(AbortSignal),
    });
    expect(request["options"]).toEqual({ sessionId, limits, modelOptions, instructions, fromOutside: undefined });
    expect(request).not.toHaveProperty("input");
  });

  it("is one from outside, with the address of its client and the check of its transport, however it is stored", async () => {
    const beforeStored = async () => await Promise.resolve();
    for (const isDurable of [true, false]) {
      const request = await requestOf({ isDurable, beforeStored }, { fromOutside: true });
      expect(request["options"]).toMatchObject({ fromOutside: true });
      expect(request).toMatchObject({ address: "1.2.3.4", isBearer: false, beforeStored });
    }
  });

  it("is reached by its id where its client has no principal, also if it claims a user", async () => {
    const { service, accept } = serviceOf();
    const claimed = { ...requested, opts: { ...opts, verified: false }, owner: {} } as unknown as AnyRequestedRun;
    const target = { kind: "agent", name: "a", isDurable: true, service } as never;
    await acceptRequestedRun(claimed, target, activeRunsOf().active as never);
    const owner = { userId: "ada", tenantId: "t", verified: false };
    expect(accept.mock.calls).toMatchObject([[{ owner, isBearer: true }]]);
  });

  it("names no session that is made for it", async () => {
    for (const isDurable of [true, false]) {
      const request = await requestOf({ isDurable }, { isNewSession: true });
      expect(request["options"]).not.toHaveProperty("sessionId");
    }
  });

  it.each([{ model: {} }, { tools: [] }])("may have no %j of the host when it is durable", async (change) => {
    const message =
      "runOptions must give no model and no tools to a durable run: no record can hold them. " +
      "Give them to the agent, or leave the agent out of the RunService.";
    await expect(requestOf({}, change)).rejects.toMatchObject({ code: "invalid_config", message });
  });

  it("is found by its key, which stands in place of its id", async () => {
    const request = await requestOf({ key: "k", mustExist: true });
    expect(request).toMatchObject({ idempotencyKey: "k", mustExist: true });
    expect(request).not.toHaveProperty("runId");
    expect(await requestOf({})).not.toHaveProperty("idempotencyKey");
  });
});

describe("the fingerprint of a request with a key", () => {
  const printOf = async (change: object) => JSON.stringify((await requestOf({ key: "k" }, change))["fingerprint"]);

  it("has what the client said, with hashes in place of files, and nothing of the host's", async () => {
    const print = await printOf({});
    expect(print).toContain('"Hi"');
    expect(print).not.toContain(image.data);
    expect(
      await printOf({ limits: { maxSteps: 9 }, metadata: {}, apiKey: "sk-9", modelOptions: {}, instructions: "" }),
    ).toBe(print);
  });

  it("has hashes in place of the files of the input too, and all that says more about them", async () => {
    const printOfInput = async (input: unknown) => {
      const { service, accept } = serviceOf();
      const target = { kind: "agent", name: "a", isDurable: true, service, key: "k" } as never;
      await acceptRequestedRun({ ...requested, input }, target, activeRunsOf().active as never);
      return accept.mock.calls[0]?.[0]["fingerprint"];
    };
    const print = await printOfInput([image, { type: "text", text: "é" }, { ...image, mimeType: "image/png" }]);

    expect(print).toMatchObject({
      userId: "ada",
      sessionId: "s",
      input: [{ type: "image" }, { type: "text", text: "é" }, { type: "image", mimeType: "image/png" }],
    });
    expect(JSON.stringify(print)).not.toContain(image.data);
    expect(await printOfInput([{ ...image, data: "aGVsbG9v" }])).not.toEqual(await printOfInput([image]));
    expect(await printOfInput("Hi!")).not.toEqual(await printOfInput("Hi"));
    expect(await printOfInput({ state: { data: "x" } })).toMatchObject({ input: { state: { data: "x" } } });
  });

  it.each<[string, object]>([
    ["message", { messages: [{ role: "user", content: "é" }] }],
    ["file", { messages: [{ role: "user", content: [{ ...image, data: "aGVsbG9v" }] }] }],
    ["type of a file", { messages: [{ role: "user", content: [{ ...image, type: "file" }] }] }],
    ["user", { userId: "bob" }],
    ["session", { sessionId: "other" }],
    ["session, if it has none", { isNewSession: true }],
  ])("is another one for another %s", async (_what, change) => {
    expect(await printOf(change)).not.toBe(await printOf({}));
  });

  it.each([["no list"], [null], [[null, 7, { content: null }, { content: [null, { data: 7 }] }]]])(
    "takes messages that the service will refuse: %j",
    async (messages) => {
      expect(await printOf({ messages })).toContain("Hi");
    },
  );
});

describe("a run that is stored in this process", () => {
  const target = (service: unknown): StoredTerms => ({ kind: "agent", name: "a", isDurable: false, service }) as never;

  it("counts as active until its end", async () => {
    const { service, end } = serviceOf();
    const { active, ended } = activeRunsOf();
    const { over } = await acceptRequestedRun(requested, target(service), active as never);
    expect(active.begin).toHaveBeenCalledExactlyOnceWith(
      "r",
      expect.objectContaining({ owner: requested.owner }),
      expect.any(Function),
    );
    expect(ended).not.toHaveBeenCalled();
    end.resolve({ type: "end" });
    await over;
    expect(ended).toHaveBeenCalledOnce();
  });

  it("counts until its events are removed", async () => {
    const { service, end } = serviceOf();
    const { active, ended } = activeRunsOf();
    const { over } = await acceptRequestedRun(requested, target(service), active as never);
    end.reject(new Error("gone"));
    await over;
    expect(ended).toHaveBeenCalledOnce();
  });

  it("does not count when it was found again, nor when it is durable", async () => {
    for (const [isNew, isDurable] of [
      [false, false],
      [true, true],
    ]) {
      const { service } = serviceOf({ isNew: isNew === true });
      const { active } = activeRunsOf();
      const started = await acceptRequestedRun(
        { ...requested, opts: {} } as never,
        { ...target(service), isDurable } as never,
        active as never,
      );
      expect(started.over).toBeUndefined();
      expect(active.begin).not.toHaveBeenCalled();
    }
  });

  it("is cancelled by a shutdown, in this process and, where it waits, in the storage", async () => {
    const { service, accept, cancel, end } = serviceOf();
    const { active, cancels } = activeRunsOf();
    const { over } = await acceptRequestedRun(requested, target(service), active as never);
    cancels[0]?.("shutdown");
    expect(accept.mock.calls[0]?.[0]).toMatchObject({ local: { signal: { reason: "shutdown" } } });
    expect(cancel).toHaveBeenCalledExactlyOnceWith("r", "host");
    end.resolve({ type: "end" });
    await over;
  });

  it("is cancelled without a failure of its own where the service cannot cancel it", async () => {
    const { service, end } = serviceOf();
    const { active, cancels } = activeRunsOf();
    const cancel = async () => await Promise.reject(new Error("The storage is down."));
    const failing = target({ ...service, cancel });
    const { over, runId, isNew } = await acceptRequestedRun(requested, failing, active as never);
    expect([runId, isNew]).toEqual(["r", true]);
    cancels[0]?.("shutdown");
    await new Promise(setImmediate);
    end.resolve({ type: "end" });
    expect(await over).toBeUndefined();
  });

  it("is cancelled when a shutdown began while it was accepted, and never accepted when that was before", async () => {
    const { service, cancel, accept } = serviceOf();
    const { active } = activeRunsOf();
    const closed = new Error("unavailable");
    active.begin.mockImplementation(() => {
      throw closed;
    });
    await expect(acceptRequestedRun(requested, target(service), active as never)).rejects.toBe(closed);
    expect(cancel).toHaveBeenCalledOnce();
    accept.mockClear();
    active.checkOpen.mockImplementation(() => {
      throw closed;
    });
    await expect(acceptRequestedRun(requested, target(service), active as never)).rejects.toBe(closed);
    expect(accept).not.toHaveBeenCalled();
  });
});
